import CarillonModel

/// What stands between the composer and the phones of an App: a typed number, a pause and a second person.
public struct SendGuards: Hashable, Sendable, Codable {
    /// The range of ``confirmAbove`` and ``approveAbove``.
    public static let sizes = 0...1_000_000_000
    /// The range of ``hold``.
    public static let holds = 0...600

    /// With more Devices than this, who sends types their number; 1,000 when missing.
    public var confirmAbove = 1_000
    /// With more Devices than this, a second person approves; 10,000 when missing.
    public var approveAbove = 10_000
    /// For how many seconds a Campaign that was confirmed can be undone, 0 through 600; 60 when missing.
    public var hold = 60
    /// Whether Campaigns of API keys need approval too; false when missing.
    public var appliesToKeys = false

    /// Creates the usual guards.
    public init() {}

    enum CodingKeys: String, CodingKey, CaseIterable {
        case confirmAbove, approveAbove, hold, appliesToKeys
    }

    /// Decodes guards strictly; missing ones are the usual ones.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        self = SendGuards().applying(try SendGuardsUpdate(from: decoder))
    }

    /// Returns the guards after a change.
    ///
    /// - Parameter update: The change.
    /// - Returns: The guards.
    public func applying(_ update: SendGuardsUpdate) -> SendGuards {
        var guards = self
        guards.confirmAbove = update.confirmAbove ?? confirmAbove
        guards.approveAbove = update.approveAbove ?? approveAbove
        guards.hold = update.hold ?? hold
        guards.appliesToKeys = update.appliesToKeys ?? appliesToKeys
        return guards
    }

    /// Whether a change lets something out that these guards stop.
    ///
    /// - Parameter guards: The guards after the change.
    /// - Returns: True when at least one of them is weaker.
    public func isLowered(to guards: SendGuards) -> Bool {
        guards.confirmAbove > confirmAbove || guards.approveAbove > approveAbove || guards.hold < hold
            || appliesToKeys && !guards.appliesToKeys
    }
}

/// A change of an App's guards: missing ones stay.
public struct SendGuardsUpdate: Hashable, Sendable, Codable {
    /// With more Devices than this, who sends types their number.
    public var confirmAbove: Int?
    /// With more Devices than this, a second person approves.
    public var approveAbove: Int?
    /// For how many seconds a Campaign that was confirmed can be undone, 0 through 600.
    public var hold: Int?
    /// Whether Campaigns of API keys need approval too.
    public var appliesToKeys: Bool?

    /// Creates a change of nothing.
    public init() {}

    /// Decodes a change strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<SendGuards.CodingKeys>(decoder)
        confirmAbove = try fields.integer(.confirmAbove, SendGuards.sizes)
        approveAbove = try fields.integer(.approveAbove, SendGuards.sizes)
        hold = try fields.integer(.hold, SendGuards.holds)
        appliesToKeys = try fields.optional(.appliesToKeys)
    }
}
