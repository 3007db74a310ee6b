package import NIOHPACK

/// A request to Apple's provider API whose answer may have a body: channels, broadcasts, checks by `carillon doctor`.
///
/// Notifications use ``ConnectionPool`` instead, which is fast and stores no body except a refusal's.
package struct APIRequest: Sendable {
    package var method: String
    package var path: String
    /// The fields without pseudo-headers, with lower-case names.
    package var fields: HPACKHeaders
    package var body: [UInt8]
    /// Maximum size of an answer's body in bytes; a larger answer counts as malformed.
    package var answerLimit: Int

    package init(
        method: String,
        path: String,
        fields: HPACKHeaders,
        body: [UInt8] = [],
        answerLimit: Int = 16 * 1024
    ) {
        self.method = method
        self.path = path
        self.fields = fields
        self.body = body
        self.answerLimit = answerLimit
    }
}

/// A complete answer.
package struct APIAnswer: Hashable, Sendable {
    /// The HTTP status, 200 through 999.
    package let status: Int
    /// The fields, including pseudo-headers.
    package let fields: HPACKHeaders
    package let body: [UInt8]
}

/// The outcome of a request.
package enum APIOutcome: Hashable, Sendable {
    case answered(APIAnswer)
    /// The server did not process it and will not.
    case notSent(Failure)
    /// It was sent, and there was no readable answer.
    case unknown(Failure)
}
