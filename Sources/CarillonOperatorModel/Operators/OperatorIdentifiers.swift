public import CarillonModel

/// Identifies an Operator.
public struct OperatorID: TimeOrderedID {
    /// The prefix of the text form: `opr`.
    public static let prefix = "opr"
    /// The number, 0 through 2⁶⁰ − 1.
    public let rawValue: Int64

    /// Wraps a number, which must be in range.
    public init(rawValue: Int64) { self.rawValue = rawValue }
}

/// Identifies a session of an Operator without revealing its secret value.
public struct OperatorSessionID: TimeOrderedID {
    /// The prefix of the text form: `ops`.
    public static let prefix = "ops"
    /// The number, 0 through 2⁶⁰ − 1.
    public let rawValue: Int64

    /// Wraps a number, which must be in range.
    public init(rawValue: Int64) { self.rawValue = rawValue }
}

/// Identifies a passkey of an Operator.
public struct OperatorPasskeyID: TimeOrderedID {
    /// The prefix of the text form: `opk`.
    public static let prefix = "opk"
    /// The number, 0 through 2⁶⁰ − 1.
    public let rawValue: Int64

    /// Wraps a number, which must be in range.
    public init(rawValue: Int64) { self.rawValue = rawValue }
}

/// Identifies an account of an identity provider that signs an Operator in.
public struct OperatorIdentityID: TimeOrderedID {
    /// The prefix of the text form: `opi`.
    public static let prefix = "opi"
    /// The number, 0 through 2⁶⁰ − 1.
    public let rawValue: Int64

    /// Wraps a number, which must be in range.
    public init(rawValue: Int64) { self.rawValue = rawValue }
}
