import Foundation

/// What the path of a request asks for.
enum Route: Hashable {
    /// No path has come yet, or one that no operation has.
    case unknown
    /// `/3/device/…`, with the hexadecimal digits that follow decoded into the request's `deviceToken`.
    case device(DeviceTokenSyntax)
    /// `/4/broadcasts/apps/…`, and where in the path the bundle identifier lies.
    case broadcast(Range<Int>)
    /// `/1/apps/…/channels`
    case channels(Range<Int>)
    /// `/1/apps/…/all-channels`
    case channelList(Range<Int>)

    /// Reads a path that is not of a device.
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
