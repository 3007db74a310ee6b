import ApplePush

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A broadcast channel's properties at APNs.
public struct BroadcastChannel: Hashable, Sendable {
    /// How much APNs stores of a channel for devices that are offline; fixed when the channel is created.
    ///
    /// An open set, as numbers in Apple's JSON. Source: "Sending channel management requests to APNs".
    public struct Storage: RawRepresentable, Hashable, Sendable {
        /// Apple's number, `message-storage-policy`.
        public let rawValue: Int

        /// Creates a policy from Apple's number.
        ///
        /// - Parameter rawValue: The number.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// No message: more broadcasts are permitted, and their expiration must be `Expiration.nowOrNever`.
        public static let nothing = Storage(rawValue: 0)
        /// The most recent message, for eight hours at most.
        public static let mostRecentMessage = Storage(rawValue: 1)
    }

    /// How much APNs stores.
    public var storage: Storage
    /// The push type, in Apple's spelling; `LiveActivity` is the only one today.
    public var pushType: String

    /// Creates the properties of a channel.
    ///
    /// - Parameters:
    ///   - storage: How much APNs stores.
    ///   - pushType: The push type.
    public init(storage: Storage, pushType: String = "LiveActivity") {
        self.storage = storage
        self.pushType = pushType
    }
}

extension BroadcastChannel {
    /// The JSON of a request that creates it.
    var json: [UInt8] {
        Array(#"{"message-storage-policy":\#(storage.rawValue),"push-type":"LiveActivity"}"#.utf8)
    }

    /// Parses the JSON of an answer; `nil` when it has another form.
    init?(json: [UInt8]) {
        struct Form: Decodable {
            let storage: Int
            let pushType: String

            enum CodingKeys: String, CodingKey {
                case storage = "message-storage-policy"
                case pushType = "push-type"
            }
        }
        guard let form = try? JSONDecoder().decode(Form.self, from: Data(json)) else { return nil }
        self.init(storage: Storage(rawValue: form.storage), pushType: form.pushType)
    }
}

/// The JSON of an answer that lists channels.
struct ChannelList: Decodable {
    let channels: [ChannelID]

    init?(json: [UInt8]) {
        guard let list = try? JSONDecoder().decode(ChannelList.self, from: Data(json)) else { return nil }
        self = list
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        channels = try container.decode([String].self, forKey: .channels).map { text in
            guard let id = ChannelID(rawValue: text) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .channels,
                    in: container,
                    debugDescription: "a channel id is Base64"
                )
            }
            return id
        }
    }

    private enum CodingKeys: CodingKey {
        case channels
    }
}
