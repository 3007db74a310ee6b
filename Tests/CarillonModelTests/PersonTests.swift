import CarillonModel
import CarillonOperatorModel
import Foundation
import Testing

@Suite("Tags")
struct TagTests {
    @Test("T-125 A tag has an id of eight letters and digits", arguments: ["ZZPP00b6", "00000000", "abcdefgh"])
    func readsIDs(_ text: String) throws {
        let id = try #require(TagID(rawValue: text))

        #expect(id.description == text)
        #expect(try JSONDecoder().decode([TagID].self, from: JSONEncoder().encode([id])) == [id])
    }

    @Test(
        "A malformed tag id is refused",
        arguments: ["", "ZZPP00b", "ZZPP00b67", "ZZPP-0b6", "ZZPP 0b6", "ZZPP00é", "sports"]
    )
    func refusesMalformedIDs(_ text: String) {
        #expect(TagID(rawValue: text) == nil)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([TagID].self, from: JSONEncoder().encode([text]))
        }
    }

    private static let names: [RequestCase] = [
        RequestCase("name", RequestCase.text(255)), .bad("name", RequestCase.text(256)), .bad("name", #""a b""#),
        RequestCase("name", RequestCase.text(255, "界")), .bad("name", #""a\u3000b""#), .bad("name", #""a\nb""#),
        .bad("name", #""""#), .bad("name", nil), .bad("id", #""ZZPP00b6""#),
    ]

    @Test("T-29 A tag's name has at most 255 characters and no space", arguments: names)
    func holdsNames(_ changed: RequestCase) throws {
        try changed.check(TagRequest.self, base: #"{"name":"sports"}"#)
    }

    private static func list(_ count: Int) -> String {
        "[" + (10..<10 + count).map { "\"tag000\($0)\"" }.joined(separator: ",") + "]"
    }

    private static let sets: [RequestCase] = [
        RequestCase("tags", "[]"), RequestCase("tags", list(16)), .bad("tags", list(17)), .bad("tags", nil),
        RequestCase("tags", #"["sports"]"#, wrong: "tags.0"), .bad("tags", #""ZZPP00b6""#), .bad("user", #""u""#),
    ]

    @Test("T-31 A User has at most 16 tags", arguments: sets)
    func holdsSets(_ changed: RequestCase) throws {
        try changed.check(TagSet.self, base: #"{"tags":["ZZPP00b6","ZZPP00b6"]}"#)
    }

    @Test("Tags are encoded in order") func encodesInOrder() throws {
        let ids = try ["b0000000", "a0000000", "C0000000"].map { try #require(TagID(rawValue: $0)) }
        let data = try JSONEncoder().encode(TagSet(tags: Set(ids)))

        #expect(String(decoding: data, as: UTF8.self) == #"{"tags":["C0000000","a0000000","b0000000"]}"#)
    }
}

@Suite("Attributes of a User")
struct UserAttributesTests {
    private static func names(_ count: Int) -> String {
        "{" + (0..<count).map { "\"n\($0)\":1" }.joined(separator: ",") + "}"
    }

    private static let cases: [RequestCase] = [
        .bad("attributes", nil), .bad("attributes", "[]"), RequestCase("attributes", names(64)),
        .bad("attributes", names(65)), RequestCase("attributes", #"{"":1}"#, wrong: "attributes"),
        RequestCase("attributes", #"{"a b":1}"#, wrong: "attributes"),
        RequestCase("attributes", "{\(RequestCase.text(64)):1}"),
        RequestCase("attributes", "{\(RequestCase.text(65)):1}", wrong: "attributes"),
        RequestCase("attributes.plan", RequestCase.text(256, "界")), .bad("attributes.plan", RequestCase.text(257)),
        .bad("attributes.plan", #""a\u0000b""#), RequestCase("attributes.plan", #""a\nb""#),
        RequestCase("attributes.plan", "1.5"), RequestCase("attributes.plan", "false"),
        RequestCase("attributes.plan", "null"), .bad("attributes.plan", "[]"), .bad("attributes.plan", "{}"),
        .bad("user", #""u""#),
    ]

    @Test("Each name and value is checked against its limit", arguments: cases)
    func checksNamesAndValues(_ changed: RequestCase) throws {
        try changed.check(UserAttributes.self, base: #"{"attributes":{"plan":"gold","age":42,"club.member":true}}"#)
    }
}

@Suite("VoIP tokens")
struct VoIPRegistrationTests {
    private static let cases: [RequestCase] = [
        .bad("token", nil), .bad("token", #""zz""#), RequestCase("pushType", nil),
        RequestCase("pushType", #""apns_voip_sandbox""#), .bad("pushType", #""apns""#), .bad("user", #""u""#),
    ]

    @Test("Each field is checked against its limit", arguments: cases)
    func checksEachField(_ changed: RequestCase) throws {
        try changed.check(
            VoIPRegistration.self,
            base: #"{"token":"\#(String(repeating: "ab", count: 32))","pushType":"apns_voip"}"#
        )
    }

    @Test("VoIP tokens have push types of their own") func haveTypesOfTheirOwn() {
        #expect(PushType.notificationTypes + PushType.voIPTypes == PushType.allCases)
        #expect(PushType.voIPTypes.allSatisfy(\.isVoIP) && !PushType.notificationTypes.contains(where: \.isVoIP))
        #expect(PushType.allCases.filter(\.isSandbox) == [.apnsSandbox, .apnsVoIPSandbox])
    }

    private static let forgetting: [RequestCase] = [
        RequestCase("user", nil), .bad("user", "1"), .bad("device", "1"),
    ]

    @Test("A request to erase a Device or its User is decoded strictly", arguments: forgetting)
    func checksForgetRequests(_ changed: RequestCase) throws {
        try changed.check(ForgetRequest.self, base: #"{"user":true}"#)
    }
}

@Suite("Inbox")
struct InboxTests {
    private static func list(_ count: Int64) -> String {
        "[" + (0..<count).map { "\"\(OccurrenceID(rawValue: $0))\"" }.joined(separator: ",") + "]"
    }

    private static let cases: [RequestCase] = [
        .bad("occurrences", nil), .bad("occurrences", "[]"), RequestCase("occurrences", list(100)),
        .bad("occurrences", list(101)), RequestCase("all", "true", wrong: "occurrences"), .bad("read", "true"),
        RequestCase("occurrences", #"["x"]"#, wrong: "occurrences.0"),
    ]

    @Test("Some or all messages of an inbox are marked as read", arguments: cases)
    func checksReadings(_ changed: RequestCase) throws {
        try changed.check(InboxReading.self, base: #"{"occurrences":["occ_000000000001"],"all":false}"#)
    }

    @Test("Marking all messages needs no list") func marksAll() throws {
        let data = try JSONEncoder().encode(InboxReading.everything)

        #expect(try JSONDecoder().decode(InboxReading.self, from: data) == .everything)
        #expect(InboxReading.everything.occurrences == nil && InboxReading.everything.all)
    }

    @Test("An inbox counts its unread messages") func countsUnread() {
        let messages = (1...3).map { number in
            InboxMessage(
                occurrence: OccurrenceID(rawValue: number),
                sentAt: Timestamp(rawValue: 0),
                isRead: number == 2
            )
        }

        #expect(Inbox(messages: messages).unread == 2)
    }
}
