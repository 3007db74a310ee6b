extension RegistrationMachine {
    /// What the app wants to be known of the Device, and how far the server has followed.
    ///
    /// Indirect, as its parts are large: code that copies them inline is a large part of an SDK's bytes.
    package indirect enum Intent: Equatable, Sendable {
        /// Nothing: facts about the Device are only gathered.
        case none
        /// A request needed a Device, which is registered without token and consent; the app has not registered it.
        case introduced(Standing)
        /// The app registered the Device.
        case registered(Standing)
        /// The app unregistered the Device, and the server may still know it. Registering again cancels that.
        case leaving(Confirmation?)
        /// The app asked to erase data, and the server has not confirmed it. Nothing else is sent before.
        case erasing(Scope, Confirmation?, then: Role?)
    }

    /// Who made the Device known.
    package enum Role: String, Codable, Equatable, Sendable {
        case introduced, registered
    }

    /// What is erased.
    package enum Scope: String, Codable, Equatable, Sendable {
        /// The Device, its events and what it has read.
        case device
        /// That, and everything of its User.
        case user
    }

    /// What the server knows of the Device.
    package indirect enum Standing: Equatable, Sendable {
        /// Nothing: no request was sent.
        case unsent
        /// Possibly something: a request was sent and is not confirmed, or the server lost the Device. Everything is sent
        /// next, even if it is what the server confirmed last.
        case unconfirmed(last: Confirmation?)
        case confirmed(Confirmation)
    }
}

extension RegistrationMachine.Intent {
    package typealias Standing = RegistrationMachine.Standing

    package init(_ role: RegistrationMachine.Role?, _ standing: Standing) {
        switch role {
        case nil: self = .none
        case .introduced: self = .introduced(standing)
        case .registered: self = .registered(standing)
        }
    }

    /// What the server confirmed last and still has.
    package var confirmation: RegistrationMachine.Confirmation? {
        switch self {
        case .none: nil
        case .introduced(let standing), .registered(let standing): standing.confirmation
        case .leaving(let confirmation), .erasing(_, let confirmation, _): confirmation
        }
    }

    /// Whether the server is to delete the Device or its data.
    package var isLeaving: Bool {
        switch self {
        case .none, .introduced, .registered: false
        case .leaving, .erasing: true
        }
    }

    mutating func register() {
        switch self {
        case .none: self = .registered(.unsent)
        case .introduced(let standing): self = .registered(standing)
        case .registered: break
        case .leaving(let last): self = .registered(.unconfirmed(last: last))
        case .erasing(let scope, let confirmation, _): self = .erasing(scope, confirmation, then: .registered)
        }
    }

    mutating func introduce() {
        switch self {
        case .none: self = .introduced(.unsent)
        case .introduced, .registered: break
        case .leaving(let last): self = .introduced(.unconfirmed(last: last))
        case .erasing(let scope, let confirmation, let next):
            self = .erasing(scope, confirmation, then: next ?? .introduced)
        }
    }

    /// What the server cannot know needs no request.
    mutating func leave(erasing scope: RegistrationMachine.Scope?) {
        switch self {
        case .none, .introduced(.unsent), .registered(.unsent): self = .none
        case .introduced: self = Self.leaving(scope, nil)
        case .registered(let standing): self = Self.leaving(scope, standing.confirmation)
        case .leaving(let confirmation): self = Self.leaving(scope, confirmation)
        case .erasing(let pending, let confirmation, _): self = Self.leaving(scope ?? pending, confirmation)
        }
    }

    private static func leaving(_ scope: RegistrationMachine.Scope?, _ last: RegistrationMachine.Confirmation?) -> Self
    {
        scope.map { .erasing($0, last, then: nil) } ?? .leaving(last)
    }

    /// A registration or an update is about to be sent; its answer may be lost.
    mutating func markSent() {
        switch self {
        case .introduced(let standing): self = .introduced(.unconfirmed(last: standing.confirmation))
        case .registered(let standing): self = .registered(.unconfirmed(last: standing.confirmation))
        case .none, .leaving, .erasing: break
        }
    }

    /// A Device that was introduced has nothing to show while it leaves: the app never registered it.
    mutating func confirm(_ confirmation: RegistrationMachine.Confirmation) {
        switch self {
        case .none: break
        case .introduced: self = .introduced(.confirmed(confirmation))
        case .registered: self = .registered(.confirmed(confirmation))
        case .leaving(let last): self = .leaving(last.map { _ in confirmation })
        case .erasing(let scope, let last, let next): self = .erasing(scope, last.map { _ in confirmation }, then: next)
        }
    }

    /// The server does not know the Device.
    mutating func markUnknown() {
        switch self {
        case .none, .introduced(.unsent), .registered(.unsent): break
        case .introduced: self = .introduced(.unconfirmed(last: nil))
        case .registered: self = .registered(.unconfirmed(last: nil))
        case .leaving: self = .leaving(nil)
        case .erasing(let scope, _, let next): self = .erasing(scope, nil, then: next)
        }
    }

    /// The Device is another from now on, of which the server knows nothing.
    mutating func restart() {
        switch self {
        case .none, .leaving: self = .none
        case .introduced: self = .introduced(.unsent)
        case .registered: self = .registered(.unsent)
        case .erasing(_, _, let next): self = Self(next, .unsent)
        }
    }
}

extension RegistrationMachine.Standing {
    var confirmation: RegistrationMachine.Confirmation? {
        switch self {
        case .unsent: nil
        case .unconfirmed(let last): last
        case .confirmed(let confirmation): confirmation
        }
    }
}
