#!/usr/bin/env python3
"""The federate layer uses the C++ interface of IEEE 1516.1-2010 and nothing else of an RTI, so that it runs on any.

usage: standard_interface_test.py LIBRARY SOURCE_FOLDER

Compares what libvernier_spacefom.a leaves undefined, and what its sources include and call, with names of the standard, written down here from its C++ annex: our own headers would prove nothing.
"""
import pathlib
import re
import subprocess
import sys
import unittest

LIBRARY, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
LAYER = SOURCE / "vernier/gateway/spacefom"
INCLUDES = {"RTI/RTI1516.h", "RTI/NullFederateAmbassador.h", "RTI/time/HLAinteger64Time.h", "RTI/time/HLAinteger64Interval.h"}
CLASSES = {
    "RTIambassador", "RTIambassadorFactory", "FederateAmbassador", "NullFederateAmbassador", "VariableLengthData", "LogicalTime", "LogicalTimeInterval",
    "HLAinteger64Time", "HLAinteger64Interval", "FederateHandle", "ObjectClassHandle", "ObjectInstanceHandle", "AttributeHandle", "InteractionClassHandle",
    "ParameterHandle", "MessageRetractionHandle", "RegionHandle", "FederationExecutionInformation", "SupplementalReflectInfo", "SupplementalReceiveInfo",
    "SupplementalRemoveInfo"}
EXCEPTIONS = {
    "Exception", "ConnectionFailed", "FederateNameAlreadyInUse", "FederateNotExecutionMember", "FederatesCurrentlyJoined", "FederationExecutionAlreadyExists",
    "FederationExecutionDoesNotExist", "NameNotFound", "NotConnected", "ObjectInstanceNotKnown", "UnsupportedCallbackModel", "RTIinternalError"}
# members that the standard's headers declare; a virtual one is called by its place and leaves no name
MEMBERS = {"encode", "getTime", "createRTIambassador", "setData", "data", "size", "isValid", "what", "toString", "hash", "operator="}
# inline members of our header call these of its own; another installation has its own
OURS = {"VariableLengthData::grow", "VariableLengthData::release"}
SERVICES = {  # chapters 4 to 10
    "connect", "disconnect", "createFederationExecution", "destroyFederationExecution", "listFederationExecutions", "joinFederationExecution",
    "resignFederationExecution", "registerFederationSynchronizationPoint", "synchronizationPointAchieved", "publishObjectClassAttributes",
    "publishInteractionClass", "subscribeObjectClassAttributes", "unsubscribeObjectClassAttributes", "subscribeInteractionClass", "reserveObjectInstanceName", "registerObjectInstance",
    "updateAttributeValues", "sendInteraction", "requestAttributeValueUpdate", "queryAttributeOwnership", "enableTimeRegulation", "enableTimeConstrained",
    "timeAdvanceRequest", "enableAsynchronousDelivery", "queryGALT", "getFederateHandle", "getFederateName", "getObjectClassHandle", "getAttributeHandle",
    "getInteractionClassHandle", "getParameterHandle", "getTimeFactory", "evokeCallback"}


def sources():
    return [f for f in sorted(LAYER.rglob("*.[ch]pp")) if not f.name.endswith(("_test.cpp", "_test.hpp", "_fuzz.cpp"))]


class StandardInterface(unittest.TestCase):
    def test_undefined_names_are_of_the_standard(self):
        listing = subprocess.run(["nm", "-C", LIBRARY], capture_output=True, text=True, check=True).stdout
        self.assertRegex(listing, r" T vernier::spacefom::")  # the right library
        names = {line.split(None, 1)[1] for line in listing.splitlines() if re.match(r"\s*[UuvVwW] ", line)}
        wrong, seen = [], 0
        for name in names:
            if re.search(r"vernier::(hla|federation)::", name):  # what stands behind our interface
                wrong.append(name)
            found = re.match(r"(?:(?:typeinfo|vtable|typeinfo name|VTT) for )?rti1516e::(\w+)(?:::(~?[\w=]+(?: =)?))?", name)
            if not found:
                continue
            seen += 1
            what, member = found.groups()
            known = what in CLASSES | EXCEPTIONS and (member is None or member.lstrip("~") == what or member in MEMBERS or f"{what}::{member}" in OURS)
            if not known:
                wrong.append(name)
        self.assertGreater(seen, 15)
        self.assertEqual(wrong, [])

    def test_one_header_includes_the_interface_and_nothing_includes_an_rti(self):
        for file in sources():
            for name in re.findall(r'#include [<"]([^>"]+)[>"]', file.read_text(encoding="utf-8")):
                self.assertFalse(name.startswith(("vernier/rti1516e", "vernier/gateway/federation")), f"{file}: {name}")
                if name.startswith("RTI/"):
                    self.assertEqual(file.name, "rti.hpp")
                    self.assertIn(name, INCLUDES)

    def test_services_are_of_the_standard(self):
        called = set()
        for file in sources():
            called |= set(re.findall(r"\brti\(\)\.(\w+)", file.read_text(encoding="utf-8")))
        self.assertGreater(len(called), 25)
        self.assertEqual(called - SERVICES, set())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
