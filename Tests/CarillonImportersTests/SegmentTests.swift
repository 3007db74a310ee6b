import CarillonImporters
import CarillonOperatorModel
import Testing

@Suite struct SegmentTests {
    private func oneSignal(_ filters: String) throws -> String {
        try OneSignalSegment.rule(Array("[\(filters)]".utf8)).text
    }

    private func pinpoint(_ text: String) throws -> String { try PinpointSegment.rule(Array(text.utf8)).text }

    @Test("X-60 AND binds before OR, as in OneSignal") func keepsPrecedence() throws {
        let text = try oneSignal(
            #"{"field":"tag","key":"plan","relation":"=","value":"gold"},{"field":"country","relation":"=","value":"JP"},"#
                + #"{"operator":"OR"},{"field":"last_session","relation":">","hours_ago":"24"},{"operator":"AND"},"#
                + #"{"field":"tag","key":"trial","relation":"not_exists"}"#
        )

        #expect(
            text == #"attribute.plan = "gold" and country = JP or lastSeen < now-1d and not attribute.trial exists"#
        )
    }

    @Test(
        "X-60 Filters of OneSignal have counterparts",
        arguments: [
            (#"{"field":"tag","key":"a","relation":"=","value":"4"}"#, #"attribute.a = "4" or attribute.a = 4"#),
            (#"{"field":"tag","key":"a","relation":">","value":"4"}"#, "attribute.a > 4"),
            (#"{"field":"first_session","relation":"<","hours_ago":1.5}"#, "registered > now-90m"),
            (#"{"field":"app_version","relation":">","value":"2.1"}"#, "appVersion > 2.1"),
            (#"{"field":"location","radius":5000,"lat":35.5,"long":139.5}"#, "within(35.5, 139.5, 5km)"),
        ]
    )
    func translatesFilters(_ filter: String, _ rule: String) throws {
        #expect(try oneSignal(filter) == rule)
    }

    @Test(
        "X-60 A filter without a counterpart stops by name",
        arguments: [
            (#"{"field":"session_count","relation":">","value":"5"}"#, "session_count"),
            (#"{"field":"tag","key":"a","relation":"time_elapsed_gt","value":"5"}"#, "time_elapsed_gt"),
            (#"{"field":"tag","key":"a b","relation":"exists"}"#, "a b"), (#"{"field":"email","value":"x"}"#, "email"),
            (#"{"operator":"XOR"}"#, "XOR"), (#"{"operator":"OR"}"#, "OR"),
        ]
    )
    func stopsByName(_ filter: String, _ name: String) {
        let error = #expect(throws: SourceProblem.self) { try oneSignal(filter) }

        #expect(error?.description.contains(name) == true)
    }

    @Test("X-60 Groups of Pinpoint have counterparts") func translatesGroups() throws {
        let text = try pinpoint(
            #"{"SegmentResponse":{"SegmentType":"DIMENSIONAL","SegmentGroups":{"Include":"ANY","Groups":["#
                + #"{"Type":"ALL","Dimensions":[{"UserAttributes":{"plan":{"AttributeType":"INCLUSIVE","Values":["gold","tin"]}},"#
                + #""Metrics":{"age":{"ComparisonOperator":"GREATER_THAN_OR_EQUAL","Value":20}}}]},"#
                + #"{"Type":"NONE","Dimensions":[{"Location":{"Country":{"DimensionType":"EXCLUSIVE","Values":["JP"]}}},"#
                + #"{"Behavior":{"Recency":{"Duration":"DAY_7","RecencyType":"ACTIVE"}}}]}]}}}"#
        )

        #expect(
            text
                == #"attribute.age >= 20 and attribute.plan in ["gold", "tin"] or not (not country in [JP] or lastSeen > now-7d)"#
        )
    }

    @Test(
        "X-60 What Pinpoint has and Carillon has not stops by name",
        arguments: [
            (#"{"Attributes":{"a":{"AttributeType":"CONTAINS","Values":["x"]}}}"#, "CONTAINS"),
            (#"{"Demographic":{"Make":{"Values":["x"]}}}"#, "Make"),
            (#"{"SegmentGroups":{"Groups":[{"SourceSegments":[{"Id":"x"}]}]}}"#, "SourceSegments"),
            (#"{"SegmentType":"IMPORT"}"#, "imported"), ("{}", "without conditions"),
        ]
    )
    func stopsAtPinpointsOwn(_ text: String, _ name: String) {
        let error = #expect(throws: SourceProblem.self) { try pinpoint(text) }

        #expect(error?.description.contains(name) == true)
    }
}
