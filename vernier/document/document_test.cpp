#include "vernier/document/document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "vernier/base/temporary_folder.hpp"

namespace vernier::document {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view tank_dtd = R"(
<!ELEMENT tank (title, level*, valve?, (inflow | outflow)*, note?)>
<!ATTLIST tank version (1) #REQUIRED name CDATA #IMPLIED>
<!ELEMENT title (#PCDATA)>
<!ELEMENT level (#PCDATA)>
<!ATTLIST level name CDATA #REQUIRED unit CDATA "m" kind (free | fixed) "free">
<!ELEMENT valve EMPTY>
<!ATTLIST valve id ID #IMPLIED>
<!ELEMENT inflow EMPTY>
<!ATTLIST inflow of IDREF #IMPLIED>
<!ELEMENT outflow EMPTY>
<!ELEMENT note (#PCDATA | em)*>
<!ELEMENT em (#PCDATA)>
)";
const std::vector<Grammar> tanks = {{"tank", "tank.dtd", tank_dtd}};

std::optional<Document> read_text(std::string content, Diagnostics& problems, Limits limits = {}) {
  return parse(std::move(content), "tank.xml", tanks, problems, limits);
}

/// The rendered problems of a document that must be refused.
std::string refusal(std::string content, Limits limits = {}) {
  Diagnostics problems;
  EXPECT_FALSE(read_text(std::move(content), problems, limits).has_value());
  EXPECT_GT(problems.errors(), 0u);
  return rendered(problems);
}

std::vector<std::string> codes(std::string content) {
  Diagnostics problems;
  read_text(std::move(content), problems);
  std::vector<std::string> list;
  for (const Diagnostic& d : problems.list()) list.push_back(d.code);
  return list;
}

Document good(std::string content) {
  Diagnostics problems;
  std::optional<Document> d = read_text(std::move(content), problems);
  EXPECT_TRUE(d.has_value()) << rendered(problems);
  return d ? std::move(*d) : Document();
}

TEST(Document, HasTheElementsAttributesAndTextOfTheFile) {
  const Document d = good(
      "<?xml version=\"1.0\"?>\n<!DOCTYPE tank SYSTEM \"tank.dtd\">\n<!-- a tank -->\n"
      "<tank version=\"1\"><title>Two &amp; a half</title>\n"
      "  <level name=\"h1\" unit='cm'>3 &lt; 4</level>\n</tank>\n");
  EXPECT_EQ(d.root().name, "tank");
  ASSERT_EQ(d.root().children.size(), 2u);
  EXPECT_EQ(d.root().child("title")->text, "Two & a half");
  const Element& level = *d.root().child("level");
  EXPECT_EQ(level.value("name"), "h1");
  EXPECT_EQ(level.value("unit"), "cm");
  EXPECT_EQ(level.value("kind"), "free");  // the default in the DTD
  EXPECT_EQ(level.value("nothing", "x"), "x");
  EXPECT_EQ(level.text, "3 < 4");
  EXPECT_EQ(level.place.line, 5);
  EXPECT_EQ(level.place.column, 4);
  EXPECT_EQ(level.attribute("unit")->place.column, 20);
  EXPECT_EQ(level.attribute("unit")->value_place.column, 26);
}

TEST(Document, KnowsThePlaceOfEveryCharacterOfAText) {
  // references, line breaks of both kinds, comments, CDATA and characters of several bytes
  const std::string content =
      "<tank version=\"1\"><title>\xC3\xA4 &gt; b\r\n &#956;c<!-- x --> "
      "d<![CDATA[<e>]]>f</title></tank>";
  const Document d = good(content);
  const Element& t = *d.root().child("title");
  EXPECT_EQ(t.text,
            "\xC3\xA4 > b\n \xCE\xBC"
            "c d<e>f");
  const auto at = [&](std::string_view what) {
    const Place p = d.place_in_text(t, t.text.find(what));
    return std::pair(p.line, p.column);
  };
  EXPECT_EQ(at("\xC3\xA4"), std::pair(1, 26));
  EXPECT_EQ(at(">"), std::pair(1, 28));
  EXPECT_EQ(at("b"), std::pair(1, 33));
  EXPECT_EQ(at("\xCE\xBC"), std::pair(2, 2));
  EXPECT_EQ(at("c"), std::pair(2, 8));
  EXPECT_EQ(at("d"), std::pair(2, 20));
  EXPECT_EQ(at("<e"), std::pair(2, 30));
  EXPECT_EQ(at("f"), std::pair(2, 36));
}

TEST(Document, SkipsAByteOrderMark) {
  const Document d = good("\xEF\xBB\xBF<tank version=\"1\"><title/></tank>");
  EXPECT_EQ(d.root().place.column, 2);
}

TEST(Document, SuggestsTheElementThatWasMeant) {
  EXPECT_EQ(
      refusal("<tank version=\"1\">\n  <title>A</title>\n  <levl name=\"h\">1</levl>\n</tank>"),
      R"(error[V1203]: <levl> is not an element of <tank>
  --> tank.xml:3:4
   |
 3 |   <levl name="h">1</levl>
   |    ^^^^ did you mean <level>?
   = here may come: level*, valve?, (inflow | outflow)*, note?
   = see: vernier explain V1203

1 error in tank.xml
)");
}

TEST(Document, ReportsAMisspeltElementOnceAndStillLooksInside) {
  EXPECT_THAT(codes("<tank version=\"1\"><titel>A</titel><levl naem=\"h\">1</levl></tank>"),
              ElementsAre("V1203", "V1203", "V1211"));
}

TEST(Document, TellsWhereAnElementShouldHaveCome) {
  EXPECT_EQ(refusal("<tank version=\"1\" name=\"A\">\n  <title>A</title>\n  <valve/>\n"
                    "  <level name=\"h\">1</level>\n</tank>"),
            R"(error[V1207]: <tank> "A": <level> must come before <valve>
  --> tank.xml:4:3
   |
 3 |   <valve/>
 4 |   <level name="h">1</level>
   |   ^^^^^^ move this above line 3
   = order: title, level, valve
   = see: vernier explain V1207

1 error in tank.xml
)");
}

TEST(Document, TellsThatARequiredElementComesTooLateAndNotThatItIsMissing) {
  EXPECT_THAT(codes("<tank version=\"1\"><valve/><title>A</title></tank>"), ElementsAre("V1207"));
}

TEST(Document, FindsMissingAndDoubleElements) {
  EXPECT_THAT(refusal("<tank version=\"1\"><valve/></tank>"),
              HasSubstr("error[V1206]: <tank> has no <title>\n  --> tank.xml:1:2\n"));
  EXPECT_THAT(refusal("<tank version=\"1\"><title/><valve/><valve/></tank>"),
              HasSubstr("error[V1208]: <tank> has a second <valve>\n  --> tank.xml:1:36\n"));
}

TEST(Document, FindsWrongAttributes) {
  EXPECT_EQ(refusal("<tank version=\"1\"><title/>\n<level naem=\"h\">1</level></tank>"),
            R"(error[V1211]: <level> has no attribute "naem"
  --> tank.xml:2:8
   |
 2 | <level naem="h">1</level></tank>
   |        ^^^^ did you mean name?
   = see: vernier explain V1211

1 error in tank.xml
)");
  EXPECT_THAT(refusal("<tank version=\"1\"><title/><level>1</level></tank>"),
              HasSubstr("error[V1212]: <level> has no \"name\""));
  EXPECT_THAT(
      refusal("<tank version=\"1\"><title/><level name=\"h\" kind=\"fre\">1</level></tank>"),
      HasSubstr("error[V1213]: \"fre\" is not a value of kind\n  --> tank.xml:1:49\n"));
  EXPECT_THAT(codes("<tank version=\"1\"><title/><valve id=\"a\"/><inflow of=\"b\"/></tank>"),
              ElementsAre("V1213"));
  EXPECT_THAT(refusal("<tank version=\"1\"><title/><level name=\"a\" name=\"b\">1</level></tank>"),
              HasSubstr("error[V1214]: attribute \"name\" is given twice\n  --> tank.xml:1:43\n"));
  EXPECT_THAT(codes("<tank version=1><title/></tank>"), ElementsAre("V1214"));
}

TEST(Document, RefusesTextWhereNoneMayBe) {
  EXPECT_THAT(
      refusal("<tank version=\"1\">\n<title/>\n  hello there\n</tank>"),
      HasSubstr(
          "error[V1210]: text is not allowed directly inside <tank>\n  --> tank.xml:3:3\n   |\n"
          " 3 |   hello there\n   |   ^^^^^^^^^^^ remove it"));
}

TEST(Document, ShowsWhereAnElementBelongs) {
  const std::string twice =
      "<tank version=\"1\"><title/>\n<em>a</em><em>b</em>\n<note>full</note></tank>";
  EXPECT_EQ(refusal(twice), R"(error[V1203]: <em> is not an element of <tank>
  --> tank.xml:2:2
   |
 2 | <em>a</em><em>b</em>
   |  ^^ it belongs into <note>
   = write <tank><note><em …></note></tank>
   = see: vernier explain V1203

1 error in tank.xml
)");
  EXPECT_THAT(codes("<tank version=\"1\"><title/><levels><level name=\"a\"/></levels></tank>"),
              ElementsAre("V1203"));
  EXPECT_THAT(refusal("<tank version=\"1\"><title/><levels><level name=\"a\"/></levels></tank>"),
              HasSubstr("remove it: <level> comes directly inside <tank>"));
}

TEST(Document, RefusesAnotherVersionBeforeLookingAtTheRest) {
  EXPECT_THAT(refusal("<tank version=\"1.0\"><title/></tank>"),
              HasSubstr("^^^ write version=\"1\""));
  EXPECT_THAT(codes("<tank version=\"2\"><nothing/></tank>"), ElementsAre("V1205"));
}

TEST(Document, RefusesAnotherKindOfDocument) {
  EXPECT_THAT(
      refusal("<tnak version=\"1\"><title/></tnak>"),
      HasSubstr("error[V1204]: the document is a <tnak>, not a <tank>\n  --> tank.xml:1:2\n"
                "   |\n 1 | <tnak version=\"1\"><title/></tnak>\n   |  ^^^^ did you mean <tank>?"));
}

TEST(Document, TellsWhichTagIsNotClosed) {
  EXPECT_EQ(refusal("<tank version=\"1\">\n  <title>A</titel>\n</tank>"),
            R"(error[V1202]: </titel> does not close <title>
  --> tank.xml:2:13
   |
 2 |   <title>A</titel>
   |             ^^^^^ expected </title> here
   = <title> was opened on line 2
   = see: vernier explain V1202

1 error in tank.xml
)");
}

TEST(Document, HelpsWithABareSign) {
  EXPECT_THAT(refusal("<tank version=\"1\"><title>a < b</title></tank>"),
              HasSubstr("error[V1209]: a bare < begins a tag\n  --> tank.xml:1:28\n"));
  EXPECT_THAT(refusal("<tank version=\"1\"><title>a & b</title></tank>"),
              HasSubstr("error[V1209]: a bare & begins a reference\n  --> tank.xml:1:28\n"));
  EXPECT_THAT(refusal("<tank version=\"1\"><title>a &lte; b</title></tank>"),
              HasSubstr("error[V1209]: &lte; is not known\n  --> tank.xml:1:28\n"));
}

TEST(Document, IsRefusedWhereverItIsCutOff) {
  const std::string whole =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE tank SYSTEM \"tank.dtd\">\n"
      "<tank version=\"1\" name=\"caf\xC3\xA9\">\n  <title>A &gt; B</title><!-- c -->\n"
      "  <level name='h'><![CDATA[x]]></level>\n  <?pi x?>\n  <valve id=\"v\"/>\n</tank>";
  good(whole);
  for (std::size_t n = 0; n < whole.size(); ++n) {
    const std::string text = refusal(whole.substr(0, n));
    EXPECT_THAT(text, HasSubstr("1 error in tank.xml")) << n << "\n" << text;
  }
  EXPECT_EQ(refusal("<tank version=\"1\">\n  <title>A</title>\n"),
            R"(error[V1201]: the document ends before <tank> is closed
  --> tank.xml:2:18
   |
 2 |   <title>A</title>
   |                  ^
   = still open: <tank> (line 1)
   = see: vernier explain V1201

1 error in tank.xml
)");
}

TEST(Document, RefusesWhatIsNotUtf8) {
  EXPECT_THAT(refusal("<tank version=\"1\"><title>caf\xE9</title></tank>"),
              HasSubstr("error[V1216]: not UTF-8: a byte 0xE9\n  --> tank.xml:1:29\n"));
  EXPECT_THAT(refusal(std::string("<tank version=\"1\"><title>\0</title></tank>", 42)),
              HasSubstr("error[V1216]: a control character, 0x00\n"));
  EXPECT_THAT(refusal("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<tank/>"),
              HasSubstr("error[V1216]: the document says it is ISO-8859-1; documents are UTF-8\n"
                        "  --> tank.xml:1:31\n"));
  EXPECT_THAT(refusal("\xFF\xFE<\0t\0"), HasSubstr("UTF-16"));
  for (const char* bad :
       {"\xC0\xAF", "\xED\xA0\x80", "\xF5\x80\x80\x80", "\xEF\xBF\xBF", "\xE2\x82"}) {
    EXPECT_THAT(codes("<tank version=\"1\"><title>" + std::string(bad) + "</title></tank>"),
                ElementsAre("V1216"));
  }
}

TEST(Document, RefusesEntitiesBeforeTheyCost) {
  std::string bomb = "<!DOCTYPE tank [\n<!ENTITY a \"ha\">\n";
  for (char c = 'b'; c < 'n'; ++c) {
    bomb += std::string("<!ENTITY ") + c + " \"";
    for (int i = 0; i < 10; ++i) bomb += std::string("&") + static_cast<char>(c - 1) + ";";
    bomb += "\">\n";
  }
  bomb += "]>\n<tank version=\"1\"><title>&m;</title></tank>";
  EXPECT_THAT(refusal(bomb),
              HasSubstr("error[V1217]: the document declares the entity \"a\" itself\n"
                        "  --> tank.xml:2:1\n"));
}

TEST(Document, MayCiteItsGrammarByAPublicIdentifier) {
  EXPECT_EQ(public_identifier("tank.dtd"), "-//Vernier//DTD tank 1//EN");
  good(
      "<!DOCTYPE tank PUBLIC \"-//Vernier//DTD tank 1//EN\" \"tank.dtd\">\n"
      "<tank version=\"1\"><title/></tank>");
  EXPECT_THAT(codes("<!DOCTYPE tank PUBLIC \"-//Vernier//DTD tank 1//EN\" "
                    "\"http://example.org/tank.dtd\"><tank version=\"1\"><title/></tank>"),
              ElementsAre("V1217"));
}

TEST(Document, RefusesToReadAnythingElse) {
  for (const std::string subset :
       {"<!DOCTYPE tank SYSTEM \"http://example.org/tank.dtd\">",
        "<!DOCTYPE tank SYSTEM \"/etc/passwd\">", "<!DOCTYPE tank PUBLIC \"-//x//y\" \"tank.dtd\">",
        "<!DOCTYPE tank [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>",
        "<!DOCTYPE tank [<!ENTITY % x SYSTEM \"http://example.org/x\"> %x;]>",
        "<!DOCTYPE tank [<!ELEMENT tank ANY>]>", "<!DOCTYPE tank [<!ATTLIST tank x CDATA 'y'>]>"}) {
    EXPECT_THAT(codes(subset + "<tank version=\"1\"><title/></tank>"), ElementsAre("V1217"))
        << subset;
  }
  EXPECT_THAT(codes("<tank version=\"1\"><title/><xi:include href=\"/etc/passwd\"/></tank>"),
              ElementsAre("V1203"));
  EXPECT_THAT(refusal("<!DOCTYPE tank [%x;]><tank version=\"1\"><title>&x;</title></tank>"),
              HasSubstr("error[V1209]"));
}

TEST(Document, RefusesWhatIsTooDeepOrTooMuch) {
  std::string deep = "<tank version=\"1\">";
  for (int i = 0; i < 10'000; ++i) deep += "<note>";
  EXPECT_THAT(refusal(deep), HasSubstr("error[V1215]: elements are nested more than 64 deep"));
  std::string wide = "<tank version=\"1\"><title/>";
  for (int i = 0; i < 2000; ++i) wide += "<inflow/>";
  EXPECT_THAT(refusal(wide + "</tank>", {.elements = 1000}),
              HasSubstr("error[V1215]: the document has more than 1000 elements"));
  good(wide + "</tank>");
}

TEST(Document, RefusesATagWithTooManyAttributes) {
  std::string text = "<!-- a=\"'\" --><tank version=\"1\"";
  for (int i = 0; i < 200'000; ++i) text += " a" + std::to_string(i) + "='>'";
  EXPECT_THAT(
      refusal(text + "><title/></tank>"),
      HasSubstr("error[V1215]: an element has more than 256 attributes\n  --> tank.xml:1:16"));
}

TEST(Document, StaysLinearInMuchText) {
  std::string text = "<tank version=\"1\"><title/>";
  for (int i = 0; i < 100'000; ++i) text += "\n<level name='a'>1 &lt; 2</level>";
  // built in one pass; a quadratic method would exceed the timeout of any test
  EXPECT_EQ(good(text + "</tank>").root().children.back().text, "1 < 2");
}

TEST(Document, RefusesALargeFileWithoutReadingIt) {
  const TemporaryFolder folder;
  const auto path = folder / "large.xml";
  std::ofstream(path) << "<tank/>";
  std::filesystem::resize_file(path, std::uintmax_t{1} << 36);  // sparse: uses no disk space
  Diagnostics problems;
  EXPECT_FALSE(read(path, tanks, problems).has_value());
  EXPECT_THAT(rendered(problems),
              HasSubstr("error[V1215]: the document has 65536 MiB; at most 16 MiB are read"));
}

TEST(Document, StaysLinearInALongLineOfMistakes) {
  std::string line = "<tank version=\"1\"><title/>";
  for (int i = 0; i < 100'000; ++i) line += "<nonsense/>";
  Diagnostics problems;
  EXPECT_FALSE(read_text(line + "</tank>", problems).has_value());
  EXPECT_LE(problems.errors(), 100u);
}

TEST(Document, SaysThatAFileIsMissing) {
  Diagnostics problems;
  EXPECT_FALSE(read("no/such/file.xml", tanks, problems).has_value());
  EXPECT_THAT(rendered(problems), HasSubstr("error[V1200]: there is no file no/such/file.xml"));
  EXPECT_FALSE(read(std::filesystem::temp_directory_path(), tanks, problems).has_value());
}

TEST(Document, TellsTheRootElement) {
  const std::string text =
      "<?xml version=\"1.0\"?>\n<!DOCTYPE a [ <!-- > --> ]>\n<!-- <b> -->\n<c d='e'/>";
  EXPECT_EQ(root_element(text), "c");
  EXPECT_EQ(root_element("\xEF\xBB\xBF" + text), "c");
  EXPECT_EQ(root_element("no XML at all"), "");
  EXPECT_EQ(root_element(""), "");
}

TEST(Document, CanBeReadByManyThreadsAtOnce) {
  std::vector<std::thread> threads;
  std::vector<int> counts(4, 0);
  for (int& count : counts) {
    threads.emplace_back([&count] {
      for (int i = 0; i < 200; ++i) {
        Diagnostics problems;
        const auto d = read_text("<tank version=\"1\"><title>&#65;</title></tank>", problems);
        read_text("<tank version=\"1\"><titel/><", problems);
        count += d && d->root().child("title")->text == "A" && problems.errors() == 1 ? 1 : 0;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_THAT(counts, ElementsAre(200, 200, 200, 200));
}

}  // namespace
}  // namespace vernier::document
