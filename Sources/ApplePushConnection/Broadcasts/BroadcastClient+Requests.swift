public import ApplePush
import NIOCore
import NIOHPACK

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension BroadcastClient {
    /// A list of 10,000 channels, Apple's maximum, has about half of this.
    private static let listLimit = 1 << 20

    /// Creates a channel; an app may have 10,000 in each environment.
    ///
    /// - Parameters:
    ///   - storage: How much APNs stores of it; this cannot be changed later.
    ///   - bundleID: The app.
    ///   - token: The provider token; `nil` with a client certificate.
    ///   - requestID: Sent as `apns-request-id`, by which Apple's console finds the request.
    ///   - timeout: How long to wait for a connection and the answer.
    /// - Returns: The new channel's id.
    public func createChannel(
        storing storage: BroadcastChannel.Storage,
        for bundleID: BundleID,
        token: ProviderToken?,
        requestID: UUID = UUID(),
        timeout: Duration = .seconds(30)
    ) async -> BroadcastOutcome<ChannelID> {
        var request = Self.request("POST", "/1/apps/\(bundleID.rawValue)/channels", token, requestID)
        request.fields.add(name: "content-type", value: "application/json")
        request.body = BroadcastChannel(storage: storage).json
        return BroadcastOutcome(await management.perform(request, deadline: .now() + TimeAmount(timeout))) { answer in
            answer.fields.first(name: "apns-channel-id").flatMap { ChannelID(rawValue: $0) }
        }
    }

    /// Reads a channel's properties.
    ///
    /// - Parameters:
    ///   - channel: The channel.
    ///   - bundleID: The app.
    ///   - token: The provider token; `nil` with a client certificate.
    ///   - requestID: Sent as `apns-request-id`.
    ///   - timeout: How long to wait for a connection and the answer.
    /// - Returns: The properties.
    public func readChannel(
        _ channel: ChannelID,
        of bundleID: BundleID,
        token: ProviderToken?,
        requestID: UUID = UUID(),
        timeout: Duration = .seconds(30)
    ) async -> BroadcastOutcome<BroadcastChannel> {
        var request = Self.request("GET", "/1/apps/\(bundleID.rawValue)/channels", token, requestID)
        request.fields.add(name: "apns-channel-id", value: channel.rawValue)
        return BroadcastOutcome(await management.perform(request, deadline: .now() + TimeAmount(timeout))) {
            BroadcastChannel(json: $0.body)
        }
    }

    /// Lists the ids of all channels of an app.
    ///
    /// - Parameters:
    ///   - bundleID: The app.
    ///   - token: The provider token; `nil` with a client certificate.
    ///   - requestID: Sent as `apns-request-id`.
    ///   - timeout: How long to wait for a connection and the answer.
    /// - Returns: The ids, in APNs' order; empty when there are none.
    public func listChannels(
        of bundleID: BundleID,
        token: ProviderToken?,
        requestID: UUID = UUID(),
        timeout: Duration = .seconds(30)
    ) async -> BroadcastOutcome<[ChannelID]> {
        var request = Self.request("GET", "/1/apps/\(bundleID.rawValue)/all-channels", token, requestID)
        request.answerLimit = Self.listLimit
        return BroadcastOutcome(await management.perform(request, deadline: .now() + TimeAmount(timeout))) {
            ChannelList(json: $0.body)?.channels
        }
    }

    /// Deletes a channel; its subscribers get nothing more.
    ///
    /// - Parameters:
    ///   - channel: The channel.
    ///   - bundleID: The app.
    ///   - token: The provider token; `nil` with a client certificate.
    ///   - requestID: Sent as `apns-request-id`.
    ///   - timeout: How long to wait for a connection and the answer.
    /// - Returns: The outcome.
    public func deleteChannel(
        _ channel: ChannelID,
        of bundleID: BundleID,
        token: ProviderToken?,
        requestID: UUID = UUID(),
        timeout: Duration = .seconds(30)
    ) async -> BroadcastOutcome<Void> {
        var request = Self.request("DELETE", "/1/apps/\(bundleID.rawValue)/channels", token, requestID)
        request.fields.add(name: "apns-channel-id", value: channel.rawValue)
        return BroadcastOutcome(await management.perform(request, deadline: .now() + TimeAmount(timeout))) { _ in () }
    }

    /// Sends a message to all subscribers of a channel.
    ///
    /// - Parameters:
    ///   - broadcast: The message, with its priority and its expiration, which are always sent.
    ///   - channel: The channel.
    ///   - bundleID: The app.
    ///   - token: The provider token; `nil` with a client certificate.
    ///   - requestID: Sent as `apns-request-id`, by which Apple's console finds the broadcast.
    ///   - timeout: How long to wait for a connection and the answer.
    /// - Returns: The outcome. Accepted does not mean delivered.
    public func send(
        _ broadcast: Broadcast,
        to channel: ChannelID,
        of bundleID: BundleID,
        token: ProviderToken?,
        requestID: UUID = UUID(),
        timeout: Duration = .seconds(30)
    ) async -> BroadcastOutcome<Void> {
        var request = Self.request("POST", "/4/broadcasts/apps/\(bundleID.rawValue)", token, requestID)
        request.fields.add(name: "apns-channel-id", value: channel.rawValue)
        request.fields.add(name: "apns-push-type", value: APNsPushType.liveActivity.rawValue)
        request.fields.add(name: "apns-priority", value: String(broadcast.priority.rawValue))
        request.fields.add(name: "apns-expiration", value: String(broadcast.expiration.seconds))
        request.body = broadcast.payload.bytes
        return BroadcastOutcome(await sending.perform(request, deadline: .now() + TimeAmount(timeout))) { _ in () }
    }

    // MARK: - Private

    private static func request(
        _ method: String,
        _ path: String,
        _ token: ProviderToken?,
        _ requestID: UUID
    ) -> APIRequest {
        var fields: HPACKHeaders = ["apns-request-id": requestID.uuidString.lowercased()]
        // A secret: HPACK keeps it out of every table that an intermediary might share (RFC 7541 §7.1.3).
        if let token {
            fields.add(name: "authorization", value: "bearer " + token.rawValue, indexing: .neverIndexed)
        }
        return APIRequest(method: method, path: path, fields: fields)
    }
}
