import Foundation

/// What the validator read from an accepted broadcast; the table of channels checks the rest.
struct BroadcastAcceptance: Hashable, Sendable {
    var bundleID: String
    /// Base64, from the sender.
    var channel: String
    var priority: UInt8
    /// Seconds since 1970; 0: one attempt, never stored.
    var expiration: Int64
}

/// An accepted operation on channels.
enum ChannelOperation: Hashable, Sendable {
    case create(bundleID: String, ChannelStorage)
    case read(bundleID: String, channel: String)
    case delete(bundleID: String, channel: String)
    case list(bundleID: String)
}

extension RequestValidator {
    /// Validates a broadcast of an admitted sender.
    ///
    /// Apple documents no order, and for missing fields only the reasons; here each missing field has its own.
    func validateBroadcast(
        _ request: borrowing IncomingRequest,
        id: NotificationID?,
        connection: borrowing ConnectionState
    ) throws(Rejection) -> BroadcastAcceptance {
        try checkRequestID(request, id: id)
        let bundleID = try readBundleID(request, connection: connection)
        guard let type = request.text(.apnsPushType), !type.isEmpty else { throw Rejection(.missingPushType) }
        guard type.lowercased() == PushType.liveactivity.rawValue else { throw Rejection(.invalidPushType) }
        guard let expiration = request[.apnsExpiration].flatMap(FieldSyntax.seconds) else {
            throw Rejection(.badExpirationDate)
        }
        guard let priority = request[.apnsPriority].flatMap(FieldSyntax.priority) else {
            throw Rejection(.badPriority)
        }
        let channel = try readChannel(request)
        guard request.bodyLength > 0 else { throw Rejection(.payloadEmpty) }
        guard request.bodyLength <= IncomingRequest.bodyLimit else { throw Rejection(.payloadTooLarge) }
        try checkForm(request)
        return BroadcastAcceptance(bundleID: bundleID, channel: channel, priority: priority, expiration: expiration)
    }

    /// Validates a channel management request of an admitted sender.
    func validateChannels(
        _ request: borrowing IncomingRequest,
        id: NotificationID?,
        connection: borrowing ConnectionState
    ) throws(Rejection) -> ChannelOperation {
        try checkRequestID(request, id: id)
        let bundleID = try readBundleID(request, connection: connection)
        if case .channelList = request.route { return .list(bundleID: bundleID) }
        if request.isSame(.method, Self.post) {
            return .create(bundleID: bundleID, try readStorage(request))
        }
        let channel = try readChannel(request)
        return request.isSame(.method, Self.get)
            ? .read(bundleID: bundleID, channel: channel) : .delete(bundleID: bundleID, channel: channel)
    }

    // MARK: - Private

    private func checkRequestID(_ request: borrowing IncomingRequest, id: NotificationID?) throws(Rejection) {
        guard !request.hasDuplicates else { throw Rejection(.badRequestParams) }
        guard id != nil || !request.has(.apnsRequestID) else { throw Rejection(.badMessageID) }
    }

    /// The bundle identifier in the path, which has no suffix and is allowed for the credential.
    private func readBundleID(
        _ request: borrowing IncomingRequest,
        connection: borrowing ConnectionState
    ) throws(Rejection) -> String {
        let bundleID = request.bundleID
        guard FieldSyntax.isTopic(bundleID) else { throw Rejection(.badPath) }
        guard Self.suffix(of: bundleID).isEmpty else { throw Rejection(.topicDisallowed) }
        let text = String(decoding: bundleID, as: UTF8.self)
        if let certificate = connection.certificate, certificate.baseTopic != text {
            throw Rejection(.topicMismatch)
        }
        try checkCredential(bundleID, pushType: nil, connection: connection)
        return text
    }

    /// Apple calls the length of a channel's id unspecified; the bound here is arbitrary.
    private func readChannel(_ request: borrowing IncomingRequest) throws(Rejection) -> String {
        guard let channel = request.text(.apnsChannelID), !channel.isEmpty else { throw Rejection(.missingChannelID) }
        guard channel.utf8.count <= 128, let bytes = Data(base64Encoded: channel), !bytes.isEmpty else {
            throw Rejection(.badChannelID)
        }
        return channel
    }

    private func readStorage(_ request: borrowing IncomingRequest) throws(Rejection) -> ChannelStorage {
        guard request.bodyLength > 0 else { throw Rejection(.payloadEmpty) }
        guard request.bodyLength <= IncomingRequest.bodyLimit else { throw Rejection(.payloadTooLarge) }
        guard PayloadSummary(of: request.body).isObject,
            let fields = try? JSONDecoder().decode(ChannelFields.self, from: Data(request.body))
        else { throw Rejection(.badRequestPayload) }
        guard let storage = fields.storage.flatMap(ChannelStorage.init) else {
            throw Rejection(.missingChannelQueueSize)
        }
        guard let pushType = fields.pushType else { throw Rejection(.missingPushType) }
        guard pushType.lowercased() == PushType.liveactivity.rawValue else { throw Rejection(.invalidPushType) }
        return storage
    }
}

/// The body that creates a channel; a field of the wrong type counts as missing.
private struct ChannelFields: Decodable {
    var storage: Int?
    var pushType: String?

    enum CodingKeys: String, CodingKey {
        case storage = "message-storage-policy"
        case pushType = "push-type"
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        storage = try? fields.decode(Int.self, forKey: .storage)
        pushType = try? fields.decode(String.self, forKey: .pushType)
    }
}
