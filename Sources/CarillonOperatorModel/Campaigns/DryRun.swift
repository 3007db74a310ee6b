public import CarillonModel

/// The rendered notifications of a Campaign: the answer to `POST /v1/dry-run`, which stores nothing.
public struct DryRun: Hashable, Sendable, Codable {
    /// One payload: a language of a variant, with or without the wording of Korean ads.
    public struct Rendering: Hashable, Sendable, Codable {
        /// The variant's name; missing without variants.
        public var variant: String?
        /// The key of the content; missing for a silent message.
        public var language: String?
        /// Whether it has the wording that Korean law requires for ads.
        public var hasAdWords: Bool
        /// Minimum size in bytes.
        public var bytes: Int
        /// Size in bytes with the longest values.
        ///
        /// A Device for which it exceeds ``limit`` gets nothing.
        public var mostBytes: Int
        /// Maximum size in bytes.
        public var limit: Int
        /// The payload, with zeros for its receipt, and `{{NAME}}` for values of each Device.
        public var payload: String

        /// Creates a rendering.
        ///
        /// - Parameters:
        ///   - variant: The variant's name.
        ///   - language: The key of the content.
        ///   - hasAdWords: Whether it has the wording that Korean law requires for ads.
        ///   - bytes: Minimum size in bytes.
        ///   - mostBytes: Size in bytes with the longest values.
        ///   - limit: Maximum size in bytes.
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

    /// What one Device would get; of variants the first.
    public struct Sample: Hashable, Sendable, Codable {
        /// The Device.
        public var device: DeviceID
        /// The skip reason; missing when it would get the message.
        public var reason: String?
        /// The key of the content.
        public var language: String?
        /// Size of the payload in bytes.
        public var bytes: Int?
        /// The payload, with zeros for its receipt; missing when there is none.
        public var payload: String?

        /// Creates a sample.
        ///
        /// - Parameter device: The Device.
        public init(device: DeviceID) { self.device = device }
    }

    /// Why the Campaign would be refused, the most severe reason first; empty when it would be accepted.
    public var problems: [FieldError]
    /// Every payload within its limit.
    public var renderings: [Rendering]
    /// When its first notification would go out; missing when it would be refused.
    public var startsAt: Timestamp?
    /// What the Device in the request would get.
    public var sample: Sample?

    /// Creates an answer.
    ///
    /// - Parameters:
    ///   - problems: Why the Campaign would be refused.
    ///   - renderings: Every payload within its limit.
    public init(problems: [FieldError], renderings: [Rendering]) {
        self.problems = problems
        self.renderings = renderings
    }
}
