% A tank that leaks, joined to a Vernier run:  x' = inflow - x/2,  outputs level and outflow.
%
%   peer('127.0.0.1', 4711)
%
% connects to a run that listens there; from a shell: octave-cli --eval "peer('127.0.0.1', 4711)".
% Needs tcpclient: Matlab R2020b or later, or Octave with the package instrument-control. Checked
% with Octave 7.3.0 and instrument-control 0.8.0. The protocol is in formats/lines/README.md of Vernier.
function peer(host, port)
  if exist('OCTAVE_VERSION', 'builtin')
    pkg load instrument-control
  end
  link = tcpclient(host, port);
  buffer = '';
  x = 0.5;
  t = 0;
  saved = struct('id', {}, 'x', {}, 't', {});
  while true
    [line, buffer] = next_line(link, buffer);
    words = strsplit(strtrim(line));
    switch words{1}
      case 'HELLO'
        say(link, 'HELLO tank 1');
      case 'CHANNELS'
        say(link, strtrim(line));
      case 'INIT'
        t = str2double(words{2});
        x = 0.5;
        say(link, done(words{2}, [x, x / 2]));
      case 'STEP'
        t_next = str2double(words{2});
        inflow = str2double(words{3});
        rest = 2 * inflow;
        x = rest + (x - rest) * exp(-(t_next - t) / 2);
        t = t_next;
        say(link, done(words{2}, [x, x / 2]));
      case 'SAVE'
        saved(strcmp({saved.id}, words{2})) = [];
        saved(end + 1) = struct('id', words{2}, 'x', x, 't', t);
        saved = saved(max(1, end - 63):end);
        say(link, 'OK');
      case 'RESTORE'
        found = find(strcmp({saved.id}, words{2}));
        if isempty(found)
          say(link, 'ERROR nothing was saved under this number');
        else
          x = saved(found).x;
          t = saved(found).t;
          say(link, 'OK');
        end
      case 'BYE'
        say(link, 'BYE');
        return
      otherwise
        say(link, 'ERROR unknown verb');
    end
  end
end

function text = done(t_text, values)
  % 17 significant digits bring every number back to the last bit
  text = ['DONE ', t_text, sprintf(' %.17g', values)];
end

function say(link, text)
  write(link, uint8([text, char(10)]));
end

function [line, buffer] = next_line(link, buffer)
  while isempty(find(buffer == char(10), 1))
    count = max(1, link.NumBytesAvailable);
    buffer = [buffer, char(read(link, count))];
  end
  stop = find(buffer == char(10), 1);
  line = buffer(1:stop - 1);
  buffer = buffer(stop + 1:end);
end
