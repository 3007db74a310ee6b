public import CarillonModel

/// What a Campaign would send: the answer to `POST /v1/campaigns/dry-run`, of which nothing is kept.
public struct DryRun: Hashable, Sendable, Codable {
    /// One payload: a language of a variant, with the words for Korean ads or without.
    public struct Rendering: Hashable, Sendable, Codable {
        /// The variant's name; missing when there are none.
        public var variant: String?
        /// The key of the content; missing for a silent message.
        public var language: String?
        /// Whether it has the words that Korean law wants of an ad.
        public var hasAdWords: Bool
        /// How many bytes it has, at least.
        public var bytes: Int
        /// How many bytes it may have with the longest values.
        ///
        /// When that is more than ``limit``, a Device whose values are that long does not get it.
        public var mostBytes: Int
        /// How many bytes it may have.
        public var limit: Int
        /// The payload, its receipt zeros; `{{NAME}}` stands for what each Device has of its own.
        public var payload: String

        /// Makes a rendering.
        ///
        /// - Parameters:
        ///   - variant: The variant's name.
        ///   - language: The key of the content.
        ///   - hasAdWords: Whether it has the words that Korean law wants of an ad.
        ///   - bytes: How many bytes it has, at least.
        ///   - mostBytes: How many bytes it may have with the longest values.
        ///   - limit: How many bytes it may have.
        ///   - payload: The payload.
        public init(
            variant: String?,
            language: String?,
            hasAdWords: Bool,
            bytes: Int,
            mostBytes: Int,
            limit: Int,
            payload: String
        ) {
            self.variant = variant
            self.language = language
            self.hasAdWords = hasAdWords
            self.bytes = bytes
            self.mostBytes = mostBytes
            self.limit = limit
            self.payload = payload
        }
    }

    /// What one Device would get: of variants the first.
    public struct Sample: Hashable, Sendable, Codable {
        /// The Device.
        public var device: DeviceID
        /// Why it would get nothing, as deliveries say it; missing when it would get it.
        public var reason: String?
        /// The key of the content that it would get.
        public var language: String?
        /// How many bytes its payload has.
        public var bytes: Int?
        /// Its payload, the receipt zeros; missing when there is none for it.
        public var payload: String?

        /// Makes a sample.
        ///
        /// - Parameter device: The Device.
        public init(device: DeviceID) { self.device = device }
    }

    /// What would be refused, the worst first; none when the Campaign would be accepted.
    public var problems: [FieldError]
    /// Every payload that is small enough.
    public var renderings: [Rendering]
    /// When its first notification would go out; missing when it would be refused.
    public var startsAt: Timestamp?
    /// What the Device that the request names would get.
    public var sample: Sample?

    /// Makes an answer.
    ///
    /// - Parameters:
    ///   - problems: What would be refused.
    ///   - renderings: Every payload that is small enough.
    public init(problems: [FieldError], renderings: [Rendering]) {
        self.problems = problems
        self.renderings = renderings
    }
}
