import Foundation

/// The operation of a path.
enum Route: Hashable {
    /// No path yet, or an unknown one.
    case unknown
    /// `/3/device/…`; the digits are decoded into the request's `deviceToken`.
    case device(DeviceTokenSyntax)
    /// `/4/broadcasts/apps/…`, with the range of the bundle identifier in the path.
    case broadcast(Range<Int>)
    /// `/1/apps/…/channels`
    case channels(Range<Int>)
    /// `/1/apps/…/all-channels`
    case channelList(Range<Int>)

    /// Parses a path that is not of a device.
    init(_ path: UnsafeBufferPointer<UInt8>) {
        self = .unknown
        if Self.starts(path, with: "/4/broadcasts/apps/") {
            self = Self.bundleID(in: path, after: 19, before: 0).map { .broadcast($0) } ?? .unknown
        } else if Self.starts(path, with: "/1/apps/") {
            if Self.ends(path, with: "/all-channels") {
                self = Self.bundleID(in: path, after: 8, before: 13).map { .channelList($0) } ?? .unknown
            } else if Self.ends(path, with: "/channels") {
                self = Self.bundleID(in: path, after: 8, before: 9).map { .channels($0) } ?? .unknown
            }
        }
    }

    /// The family; nil for an unknown path.
    var family: PathFamily? {
        switch self {
        case .unknown: nil
        case .device: .devices
        case .broadcast: .broadcasts
        case .channels: .channels
        case .channelList: .channelLists
        }
    }

    /// Whether it belongs to broadcasts and their channels.
    var isOfChannels: Bool {
        switch self {
        case .unknown, .device: false
        case .broadcast, .channels, .channelList: true
        }
    }

    static func starts(_ path: UnsafeBufferPointer<UInt8>, with text: StaticString) -> Bool {
        let length = text.utf8CodeUnitCount
        guard path.count >= length, let start = path.baseAddress else { return false }
        return memcmp(start, text.utf8Start, length) == 0
    }

    private static func ends(_ path: UnsafeBufferPointer<UInt8>, with text: StaticString) -> Bool {
        let length = text.utf8CodeUnitCount
        let start = path.count - length
        return start >= 0 && (0..<length).allSatisfy { path[start + $0] == text.utf8Start[$0] }
    }

    private static func bundleID(in path: UnsafeBufferPointer<UInt8>, after: Int, before: Int) -> Range<Int>? {
        let end = path.count - before
        guard after < end, !path[after..<end].contains(UInt8(ascii: "/")) else { return nil }
        return after..<end
    }
}
