// How the registration's state is written to disk.

extension RegistrationMachine.Intent: Codable {
    package init(from decoder: any Decoder) throws {
        let coded = try CodedCase(decoder)
        switch coded.name {
        case "none": self = .none
        case "introduced": self = .introduced(try coded.value())
        case "registered": self = .registered(try coded.value())
        case "leaving": self = .leaving(try coded.optional())
        case "erasing":
            self = .erasing(try coded.value(), try coded.optional("_1"), then: try coded.optional("then"))
        default: throw coded.unknown
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .none: _ = encoder.values(of: "none")
        case .introduced(let standing):
            var values = encoder.values(of: "introduced")
            try values.encode(standing, forKey: "_0")
        case .registered(let standing):
            var values = encoder.values(of: "registered")
            try values.encode(standing, forKey: "_0")
        case .leaving(let last):
            var values = encoder.values(of: "leaving")
            try values.encodeIfPresent(last, forKey: "_0")
        case .erasing(let scope, let last, let next):
            var values = encoder.values(of: "erasing")
            try values.encode(scope, forKey: "_0")
            try values.encodeIfPresent(last, forKey: "_1")
            try values.encodeIfPresent(next, forKey: "then")
        }
    }
}

extension RegistrationMachine.Standing: Codable {
    package init(from decoder: any Decoder) throws {
        let coded = try CodedCase(decoder)
        switch coded.name {
        case "unsent": self = .unsent
        case "unconfirmed": self = .unconfirmed(last: try coded.optional("last"))
        case "confirmed": self = .confirmed(try coded.value())
        default: throw coded.unknown
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .unsent: _ = encoder.values(of: "unsent")
        case .unconfirmed(let last):
            var values = encoder.values(of: "unconfirmed")
            try values.encodeIfPresent(last, forKey: "last")
        case .confirmed(let confirmation):
            var values = encoder.values(of: "confirmed")
            try values.encode(confirmation, forKey: "_0")
        }
    }
}
