@testable import ApplePushSimulator

extension GatewayFixture {
    /// What there is to see of this gateway.
    var snapshot: Snapshot {
        let requests = gateway.recorder.numbered(Snapshot.shown)
        return Snapshot(
            listeners: [ListenerConfiguration(name: "main")],
            isAvailable: true,
            counters: gateway.currentCounters,
            faults: gateway.faults.all,
            recording: gateway.recorder.limit,
            requests: requests,
            lastAccepted: requests.first { $0.request.status == 200 }
        )
    }

    var view: PageView { PageView(snapshot: snapshot) }

    /// The preview of a request with these fields and this payload.
    func preview(_ changes: [String: String], _ payload: String) -> NotificationPreview {
        let fields = headers().filter { changes[$0.name] == nil } + changes.map { ($0.key, $0.value) }
        return NotificationPreview(of: IncomingRequest(headers: fields, body: Array(payload.utf8)))
    }
}
