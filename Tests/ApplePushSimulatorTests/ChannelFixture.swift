import Testing

@testable import ApplePushSimulator

extension GatewayFixture {
    /// Sends a request to the management of channels.
    mutating func manage(
        _ method: String,
        app: String = "com.example.app",
        path: String? = nil,
        channel: String? = nil,
        changes: [String: String?] = [:],
        body: String = ""
    ) -> Reply {
        var fields: [String: String?] = [
            ":method": method, ":path": path ?? "/1/apps/\(app)/channels", "apns-topic": nil, "apns-push-type": nil,
        ]
        if let channel {
            fields["apns-channel-id"] = channel
        }
        return reply(fields.merging(changes) { $1 }, body: body)
    }

    mutating func outcome(
        _ method: String,
        app: String = "com.example.app",
        path: String? = nil,
        channel: String? = nil,
        changes: [String: String?] = [:],
        body: String = ""
    ) -> Outcome {
        let reply = manage(method, app: app, path: path, channel: channel, changes: changes, body: body)
        return Outcome(status: reply.status, reason: reply.reason)
    }

    /// Sends a broadcast that is in order but for some fields.
    @discardableResult
    mutating func broadcast(
        _ channel: String?,
        changes: [String: String?] = [:],
        body: String = #"{"aps":{"timestamp":1,"event":"update","content-state":{}}}"#
    ) -> Outcome {
        let fields: [String: String?] = [
            ":path": "/4/broadcasts/apps/com.example.app", "apns-topic": nil, "apns-push-type": "liveactivity",
            "apns-expiration": "0", "apns-priority": "10", "apns-channel-id": channel,
        ]
        return send(fields.merging(changes) { $1 }, body: body)
    }

    mutating func subscribe(_ device: [UInt8], to channel: String) {
        let name = Channels.Name(owner: .init(bundleID: "com.example.app", environment: .production), id: channel)
        let isDone = gateway.channels.subscribe([gateway.devices.find(device) ?? -1], to: name)
        #expect(isDone)
    }

    mutating func rules(_ change: (inout ValidationRules) -> Void) {
        var rules = gateway.validators[0].rules
        change(&rules)
        gateway.setRules(rules, ofListener: 0)
    }
}
