import CarillonModel

/// Whether and how people have accounts of an App: the body of `GET` and `PUT /v1/apps/{app}/accounts`.
public struct AccountRules: Hashable, Sendable, Codable {
    /// Whether people can sign in; false when missing.
    public var isOn = false
    /// Whether people may sign up by themselves; true when missing.
    ///
    /// When false, only operators create accounts.
    public var signUp = true
    /// Whether people may have an account without a name and a password; false when missing.
    public var guests = false
    /// Whether passwords and tokens are taken only over TLS, or from the server's own machine; false when missing.
    ///
    /// Behind a proxy it counts what a trusted one says in `X-Forwarded-Proto`.
    public var requiresTLS = false
    /// How many guests may be created an hour in all, 1 through 1,000,000; 10,000 when missing.
    public var guestsPerHour = 10_000
    /// For how many days a token is valid without use, 1 through 365; 60 when missing.
    public var tokenDays = 60
    /// After how many days without use a guest without a Device is deleted, 1 through 365; 30 when missing.
    public var guestDays = 30

    /// Creates rules that turn accounts off.
    public init() {}

    enum CodingKeys: String, CodingKey, CaseIterable {
        case isOn, signUp, guests, requiresTLS, guestsPerHour, tokenDays, guestDays
    }

    /// Decodes rules strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        self.init()
        isOn = try fields.optional(.isOn) ?? isOn
        signUp = try fields.optional(.signUp) ?? signUp
        guests = try fields.optional(.guests) ?? guests
        requiresTLS = try fields.optional(.requiresTLS) ?? requiresTLS
        guestsPerHour = try fields.integer(.guestsPerHour, 1...1_000_000) ?? guestsPerHour
        tokenDays = try fields.integer(.tokenDays, 1...365) ?? tokenDays
        guestDays = try fields.integer(.guestDays, 1...365) ?? guestDays
    }
}
