/// What the other side allows us (RFC 9113 §6.5.2).
///
/// Starts with the values that hold until it has spoken.
struct RemoteSettings: Equatable {
    static let largestWindow = 0x7FFF_FFFF
    /// The identifier of `SETTINGS_HEADER_TABLE_SIZE`.
    static let headerTableSize: UInt16 = 1

    /// `nil` as long as it has set no limit.
    var maximumStreams: Int?
    var initialWindow = 65_535
    var maximumFrame = 16_384
    /// How large our encoder's table may be.
    ///
    /// It is the other side's limit, not what we use.
    var headerTable = 4096
    /// `nil` as long as it has set no limit.
    var maximumHeaderList: Int?

    /// Takes one setting; those we do not know, or that concern only what it does, are ignored.
    mutating func apply(_ identifier: UInt16, _ value: UInt32) throws(Violation) {
        switch identifier {
        case Self.headerTableSize: headerTable = Int(value)
        case 2:
            // A server may say 0 and nothing else.
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
