import ApplePush
import Foundation
import Testing

/// The typed messages, one for each push type of Apple's.
struct MessageTests {
    private func bundleID() throws -> BundleID { try #require(BundleID(rawValue: "com.example.app")) }

    private func text(_ message: some AppMessage) throws -> String {
        String(decoding: try message.request(for: bundleID()).payload.bytes, as: UTF8.self)
    }

    @Test("P-15 an alert carries all that Apple documents, and nothing that is not set")
    func alert() throws {
        var message = AlertMessage(
            title: "T",
            subtitle: .localized(key: "S", arguments: ["1", "2"]),
            body: .localized(key: "B"),
            launchImage: "image",
            sound: .critical(name: "signal", volume: 0.5),
            badge: 0
        )
        message.threadID = "thread"
        message.category = "category"
        message.wakesApp = true
        message.isMutableContent = true
        message.targetContentID = "window"
        message.interruptionLevel = .critical
        message.relevanceScore = 0.25
        message.filterCriteria = "work"
        message.custom = ["id": 7, "aps": "not mine"]

        #expect(
            try text(message)
                == #"{"aps":{"alert":{"title":"T","subtitle-loc-key":"S","subtitle-loc-args":["1","2"],"loc-key":"B","#
                + #""launch-image":"image"},"badge":0,"sound":{"critical":1,"name":"signal","volume":0.5},"#
                + #""thread-id":"thread","category":"category","content-available":1,"mutable-content":1,"#
                + #""target-content-id":"window","interruption-level":"critical","relevance-score":0.25,"#
                + #""filter-criteria":"work"},"id":7}"#
        )
        #expect(try text(AlertMessage(body: "B")) == #"{"aps":{"alert":{"body":"B"}}}"#)
        #expect(try text(AlertMessage(title: .localized(key: "T"))) == #"{"aps":{"alert":{"title-loc-key":"T"}}}"#)
        #expect(try text(AlertMessage(sound: .named("default"))) == #"{"aps":{"sound":"default"}}"#)
        #expect(try text(AlertMessage(badge: 3)) == #"{"aps":{"badge":3}}"#)
    }

    @Test("P-15 an alert's headers are those that were set")
    func alertHeaders() throws {
        var message = AlertMessage(body: "B")
        #expect(
            try message.request(for: bundleID()).headers.fields.map(\.name) == ["apns-topic", "apns-push-type"]
        )
        message.priority = .low
        message.expiration = Expiration(seconds: 1_700_000_000)
        message.collapseID = CollapseID(rawValue: "score")
        #expect(
            try fields(message) == [
                "apns-topic: com.example.app", "apns-push-type: alert", "apns-priority: 1",
                "apns-expiration: 1700000000", "apns-collapse-id: score",
            ]
        )
    }

    @Test("P-20 a volume and a rank lie in 0 through 1, whatever was given")
    func fractions() {
        #expect(
            [-1, 0, 0.3, 1, 7, .infinity, -.infinity, .nan].map { Fraction($0).value } == [0, 0, 0.3, 1, 1, 1, 0, 0]
        )
    }

    @Test("P-17 a background message has priority 5 and nothing to show")
    func background() throws {
        let message = BackgroundMessage(custom: ["id": 7], expiration: .nowOrNever)
        #expect(try text(message) == #"{"aps":{"content-available":1},"id":7}"#)
        #expect(
            try fields(message) == [
                "apns-topic: com.example.app", "apns-push-type: background", "apns-priority: 5", "apns-expiration: 0",
            ]
        )
    }

    @Test("P-19 each push type has its topic, its priority and its form of payload")
    func types() throws {
        #expect(try text(LocationMessage(custom: ["q": true])) == #"{"aps":{},"q":true}"#)
        #expect(
            try fields(LocationMessage()) == [
                "apns-topic: com.example.app.location-query", "apns-push-type: location",
            ]
        )
        #expect(try text(VoIPMessage(custom: ["from": "Ann"])) == #"{"aps":{},"from":"Ann"}"#)
        #expect(
            try fields(VoIPMessage()) == [
                "apns-topic: com.example.app.voip", "apns-push-type: voip", "apns-priority: 10", "apns-expiration: 0",
            ]
        )
        #expect(try text(ComplicationMessage(custom: ["t": 21.5])) == #"{"aps":{},"t":21.5}"#)
        #expect(
            try fields(ComplicationMessage(priority: .considerate)) == [
                "apns-topic: com.example.app.complication", "apns-push-type: complication", "apns-priority: 5",
            ]
        )
        #expect(
            try text(FileProviderMessage(.workingSet, domain: "d"))
                == #"{"container-identifier":"NSFileProviderWorkingSetContainerItemIdentifier","domain":"d"}"#
        )
        #expect(
            try text(FileProviderMessage(.root))
                == #"{"container-identifier":"NSFileProviderRootContainerItemIdentifier"}"#
        )
        #expect(
            try fields(FileProviderMessage(.root)) == [
                "apns-topic: com.example.app.pushkit.fileprovider", "apns-push-type: fileprovider",
            ]
        )
    }

    @Test("P-19 Push to Talk has the topic .voip-ptt, is never stored and goes at once")
    func pushToTalk() throws {
        #expect(try text(PushToTalkMessage(custom: ["speaker": "Ann"])) == #"{"aps":{},"speaker":"Ann"}"#)
        #expect(try text(PushToTalkMessage(.serviceUpdate)) == #"{"aps":{"ptt-push-type":"service-update"}}"#)
        #expect(
            try fields(PushToTalkMessage()) == [
                "apns-topic: com.example.app.voip-ptt", "apns-push-type: pushtotalk", "apns-priority: 10",
                "apns-expiration: 0",
            ]
        )
    }

    @Test("P-19 widgets, controls and accessories have topics of their own")
    func extensions() throws {
        #expect(try text(WidgetsMessage()) == #"{"aps":{"content-changed":true}}"#)
        #expect(try text(ControlsMessage()) == #"{"aps":{"content-changed":true}}"#)
        let accessory = AccessoryMessage(encryptedData: "x", sessionIdentifier: "s", keyID: "k", messageIndex: 4)
        #expect(
            try text(accessory)
                == #"{"aps":{"encryptedData":"x","sessionIdentifier":"s","keyID":"k","messageIndex":4}}"#
        )
        #expect(try fields(WidgetsMessage()).first == "apns-topic: com.example.app.push-type.widgets")
        #expect(try fields(ControlsMessage()).first == "apns-topic: com.example.app.push-type.controls")
        #expect(try fields(accessory).first == "apns-topic: com.example.app.push-type.accessory")
    }

    @Test("P-19 MDM has the certificate's topic and no aps")
    func mdm() throws {
        let topic = try #require(Topic(rawValue: "com.apple.mgmt.External.0f"))
        let request = try MDMMessage(pushMagic: "magic").request(topic: topic)
        #expect(String(decoding: request.payload.bytes, as: UTF8.self) == #"{"mdm":"magic"}"#)
        #expect(request.headers == RequestHeaders(topic: topic, pushType: .mdm))
    }

    @Test("P-19 a push type that nobody knows yet can be sent, with any payload")
    func raw() throws {
        let json = #"{"aps":{"new":[1,2.5,"x",null,true]},"z":{}}"#
        let message = RawMessage(APNsPushType(rawValue: "novel"), payload: try PayloadObject(json: json.utf8))
        #expect(try text(message) == json)
        #expect(try fields(message) == ["apns-topic: com.example.app", "apns-push-type: novel"])
    }

    @Test("P-21 each message stays in its push type's limit")
    func limits() throws {
        func size(_ message: some AppMessage) throws -> Int { try message.request(for: bundleID()).payload.bytes.count }
        let empty = try size(VoIPMessage(custom: ["x": ""]))
        func voip(_ total: Int) -> VoIPMessage {
            VoIPMessage(custom: ["x": .string(String(repeating: "a", count: total - empty))])
        }

        #expect(try size(voip(5120)) == 5120)
        #expect(throws: EncodedPayload.Problem.tooLarge(bytes: 5121, limit: 5120)) { try size(voip(5121)) }
        let background = BackgroundMessage(custom: ["x": .string(String(repeating: "a", count: 4096))])
        #expect(throws: EncodedPayload.Problem.self) { try size(background) }
    }

    @Test("P-17 a message's priority is one that its push type permits")
    func priorities() throws {
        #expect(
            APNsPushType.documented.count == 12
                && APNsPushType.documented.allSatisfy { !$0.permittedPriorities.isEmpty }
        )
        #expect(APNsPushType.background.permittedPriorities == [.considerate])
        #expect(APNsPushType.liveActivity.permittedPriorities == [.immediate, .considerate])
        let messages: [any AppMessage] = [BackgroundMessage(), VoIPMessage(), PushToTalkMessage()]
        for message in messages {
            let priority = try #require(message.priority)
            #expect(message.pushType.permittedPriorities.contains(priority))
        }
    }

    @Test("P-20 a bundle id has letters, digits, hyphens and periods, and nothing that could change a path")
    func bundleIDs() {
        for good in ["a", "com.example.App-2", String(repeating: "a", count: 200)] {
            #expect(BundleID(rawValue: good)?.rawValue == good)
        }
        for bad in ["", "a/b", "a b", "a%2F", "é", "a?b", "a_b", String(repeating: "a", count: 201)] {
            #expect(BundleID(rawValue: bad) == nil, "\(bad)")
        }
    }

    private func fields(_ message: some AppMessage) throws -> [String] {
        try message.request(for: bundleID()).headers.fields.map { "\($0.name): \($0.value)" }
    }
}
