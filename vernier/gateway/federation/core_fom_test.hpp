#pragma once

#include <string>

namespace vernier::federation::rig {

/// HLAobjectRoot > Base (a, b) > Derived (c: best effort), Timed (t: time stamp order);
/// HLAinteractionRoot > Ping (x) > Pong (y); one dimension, two update rates.
inline const std::string small_fom =
    R"(<objectModel xmlns="http://standards.ieee.org/IEEE1516-2010">
<objects><objectClass><name>HLAobjectRoot</name>
<objectClass><name>Base</name>
<attribute><name>a</name><dataType>HLAopaqueData</dataType><ownership>DivestAcquire</ownership><dimensions><dimension>D</dimension></dimensions><transportation>HLAreliable</transportation><order>Receive</order></attribute>
<attribute><name>b</name><dataType>HLAopaqueData</dataType><ownership>DivestAcquire</ownership><transportation>HLAreliable</transportation><order>Receive</order></attribute>
<objectClass><name>Derived</name>
<attribute><name>c</name><dataType>HLAopaqueData</dataType><transportation>HLAbestEffort</transportation><order>Receive</order></attribute>
</objectClass></objectClass>
<objectClass><name>Timed</name>
<attribute><name>t</name><dataType>HLAopaqueData</dataType><transportation>HLAreliable</transportation><order>TimeStamp</order></attribute>
<attribute><name>r</name><dataType>HLAopaqueData</dataType><transportation>HLAreliable</transportation><order>Receive</order></attribute>
</objectClass>
</objectClass></objects>
<interactions><interactionClass><name>HLAinteractionRoot</name>
<interactionClass><name>Ping</name><dimensions><dimension>D</dimension></dimensions><transportation>HLAreliable</transportation><order>TimeStamp</order>
<parameter><name>x</name><dataType>HLAopaqueData</dataType></parameter>
<interactionClass><name>Pong</name><transportation>HLAreliable</transportation><order>Receive</order>
<parameter><name>y</name><dataType>HLAopaqueData</dataType></parameter>
</interactionClass></interactionClass>
</interactionClass></interactions>
<dimensions><dimension><name>D</name><dataType>HLAinteger32BE</dataType><upperBound>100</upperBound><normalization>linear</normalization><value>Excluded</value></dimension></dimensions>
<switches><autoProvide isEnabled="false"/><conveyProducingFederate isEnabled="true"/></switches>
<updateRates><updateRate><name>Slow</name><rate>1.0</rate></updateRate><updateRate><name>Fast</name><rate>1000.0</rate></updateRate></updateRates>
</objectModel>)";

}  // namespace vernier::federation::rig
