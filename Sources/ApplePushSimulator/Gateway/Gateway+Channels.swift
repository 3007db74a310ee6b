import Foundation

extension Gateway {
    /// Executes a broadcast that the validator accepted.
    ///
    /// - Throws: The rejection, when the channel does not accept it.
    mutating func broadcast(
        _ request: borrowing IncomingRequest,
        _ acceptance: BroadcastAcceptance,
        in environment: PushEnvironment,
        id: NotificationID,
        now: SimulatedTime
    ) throws(Rejection) {
        let owner = Channels.Owner(bundleID: acceptance.bundleID, environment: environment)
        let name = Channels.Name(owner: owner, id: acceptance.channel)
        let subscribers = try channels.broadcast(acceptance, to: name)
        counters.broadcasts += 1
        var delivery = Delivery(
            token: [],
            id: id.text,
            topic: acceptance.bundleID + PushType.liveactivity.topicSuffix,
            pushType: PushType.liveactivity.rawValue,
            priority: Int(acceptance.priority),
            channel: acceptance.channel,
            payload: request.body,
            at: now
        )
        let living = subscribers.filter { devices.standing(of: $0, in: environment) != .ended }
        let missed = hand(&delivery, to: living)
        let isKept = channels.store(
            delivery,
            in: name,
            expiration: acceptance.expiration,
            missedBy: missed,
            at: now
        )
        if isKept {
            counters.stored += missed.count
        } else {
            counters.notStored += missed.count
        }
    }

    /// Delivers a broadcast to online phones.
    ///
    /// - Returns: The offline phones.
    private mutating func hand(_ delivery: inout Delivery, to phones: [DeviceTable.Index]) -> [DeviceTable.Index] {
        var missed: [DeviceTable.Index] = []
        for device in phones {
            delivery.token = Array(devices.token(of: device))
            if let feed = self.phones.followers[device] {
                outbox.append((feed, delivery))
                counters.delivered += 1
            } else if devices.isOwned(device) {
                missed.append(device)
            }
        }
        return missed
    }

    /// Executes an operation on channels that the validator accepted.
    ///
    /// - Returns: The status, the field and the body of the response.
    /// - Throws: The rejection, when the channel is unknown or there are too many.
    mutating func carryOut(
        _ operation: ChannelOperation,
        in environment: PushEnvironment
    ) throws(Rejection) -> ChannelAnswer {
        func name(_ bundleID: String, _ channel: String) -> Channels.Name {
            Channels.Name(owner: Channels.Owner(bundleID: bundleID, environment: environment), id: channel)
        }
        switch operation {
        case .create(let bundleID, let storage):
            let owner = Channels.Owner(bundleID: bundleID, environment: environment)
            let id = try channels.create(for: owner, storage: storage, using: &random)
            return ChannelAnswer(status: 201, channel: id)
        case .read(let bundleID, let channel):
            let storage = try channels.storage(of: name(bundleID, channel))
            let body = #"{"message-storage-policy":\#(storage.rawValue),"push-type":"LiveActivity"}"#
            return ChannelAnswer(status: 200, body: Array(body.utf8))
        case .delete(let bundleID, let channel):
            try channels.delete(name(bundleID, channel))
            return ChannelAnswer(status: 204)
        case .list(let bundleID):
            let ids = try channels.list(of: Channels.Owner(bundleID: bundleID, environment: environment))
            let list = ids.map(JSONText.quoted).joined(separator: ",")
            return ChannelAnswer(status: 200, body: Array("{\"channels\":[\(list)]}".utf8))
        }
    }
}

/// The response to an operation on channels.
struct ChannelAnswer: Hashable, Sendable {
    var status: Int
    /// The new channel's id, base64.
    var channel: String?
    /// JSON; empty for none.
    var body: [UInt8] = []
}
