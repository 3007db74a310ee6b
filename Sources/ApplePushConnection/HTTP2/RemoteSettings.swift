/// The peer's settings (RFC 9113 §6.5.2).
///
/// Begins with the initial values of the RFC.
struct RemoteSettings: Equatable {
    static let largestWindow = 0x7FFF_FFFF
    /// The identifier of `SETTINGS_HEADER_TABLE_SIZE`.
    static let headerTableSize: UInt16 = 1

    /// `nil` without a limit.
    var maximumStreams: Int?
    var initialWindow = 65_535
    var maximumFrame = 16_384
    /// Maximum size of our encoder's table.
    ///
    /// It is the peer's limit, not the size used.
    var headerTable = 4096
    /// `nil` without a limit.
    var maximumHeaderList: Int?

    /// Applies one setting; unknown ones, and those that concern only the peer, are ignored.
    mutating func apply(_ identifier: UInt16, _ value: UInt32) throws(Violation) {
        switch identifier {
        case Self.headerTableSize: headerTable = Int(value)
        case 2:
            // A server may only send 0.
            guard value == 0 else { throw Violation(.protocolError, "server enables push") }
        case 3: maximumStreams = Int(value)
        case 4:
            guard value <= Self.largestWindow else { throw Violation(.flowControl, "initial window too large") }
            initialWindow = Int(value)
        case 5:
            guard (16_384...16_777_215).contains(value) else { throw Violation(.protocolError, "bad frame size") }
            maximumFrame = Int(value)
        case 6: maximumHeaderList = Int(value)
        default: break
        }
    }
}
