import CarillonModel

/// How a Campaign's notifications are spread over time.
public enum Pace: Hashable, Sendable {
    /// At most so many Devices a minute, 1 through 10,000,000: `{"perMinute": 6000}`.
    ///
    /// First attempts count, also of skipped Devices; retries do not.
    case perMinute(Int)
    /// Evenly over a period in seconds, 60 through 86,400, by registration of the Devices: `{"over": 3600}`.
    case over(Int)
    /// In so many groups of about the same size, 2 through 50, which begin so many seconds apart, 60 through 86,400:
    /// `{"groups": 4, "every": 600}`.
    ///
    /// Each group is an Occurrence of its own, with its own id and counts.
    case groups(Int, every: Int)
}

extension Pace: Codable {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case perMinute, over, groups, every
    }

    /// Reads one of the three forms.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        let perMinute = try fields.integer(.perMinute, 1...10_000_000)
        let over = try fields.integer(.over, 60...86_400)
        let groups = try fields.integer(.groups, 2...50)
        let every = try fields.integer(.every, 60...86_400)
        switch (perMinute, over, groups, every) {
        case (let number?, nil, nil, nil): self = .perMinute(number)
        case (nil, let seconds?, nil, nil): self = .over(seconds)
        case (nil, nil, let count?, let seconds?): self = .groups(count, every: seconds)
        default: throw fields.failure(.perMinute, "must be the only field, or over, or groups with every")
        }
    }

    /// Writes the form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .perMinute(let number): try container.encode(number, forKey: .perMinute)
        case .over(let seconds): try container.encode(seconds, forKey: .over)
        case .groups(let count, let every):
            try container.encode(count, forKey: .groups)
            try container.encode(every, forKey: .every)
        }
    }
}

/// What happens to a notification at a time that a rule of the App or the law excludes.
public enum DelayPolicy: String, Hashable, Sendable, Codable, CaseIterable {
    /// The Device does not get it.
    case skip
    /// The Device gets it when the period ends in its own time zone.
    case `defer`
}
