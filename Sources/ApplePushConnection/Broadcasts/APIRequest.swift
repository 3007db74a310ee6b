package import NIOHPACK

/// Any request of Apple's provider API whose answer may have a body: channels, broadcasts, a look by `carillon doctor`.
///
/// Notifications take another way, ``ConnectionPool``: that one is fast and keeps no body but a refusal's.
package struct APIRequest: Sendable {
    package var method: String
    package var path: String
    /// The fields but for pseudo-headers, with lower-case names.
    package var fields: HPACKHeaders
    package var body: [UInt8]
    /// How many bytes of an answer's body are kept; an answer with more counts as malformed.
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

/// A whole answer.
package struct APIAnswer: Hashable, Sendable {
    /// The HTTP status, 200 through 999.
    package let status: Int
    /// The fields, pseudo-headers included.
    package let fields: HPACKHeaders
    package let body: [UInt8]
}

/// What became of a request.
package enum APIOutcome: Hashable, Sendable {
    case answered(APIAnswer)
    /// The other side has not processed it and will not.
    case notSent(Failure)
    /// It was sent, and no answer came, or none that can be read.
    case unknown(Failure)
}
