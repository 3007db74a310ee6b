package import CarillonModel

/// A request to a server outside.
package struct ContentFetch: Hashable, Sendable {
    /// The source's App: slow names of an App delay only its own.
    package var app: AppID
    package var url: String
    /// What a conditional request names; empty for data in any case.
    package var validators = ContentValidators()
    /// The languages that are wanted, the first one most; empty for any.
    package var languages: [String] = []
    /// The value of `Authorization`, sent to the first address alone.
    package var authorization: String?
    /// A form to post, for access tokens; a redirect of it is not followed.
    package var form: [UInt8]?
    /// Maximum bytes of the answer.
    package var limit: Int

    package init(app: AppID, url: String, limit: Int) {
        self.app = app
        self.url = url
        self.limit = limit
    }
}

/// What came of a request.
package enum ContentFetchAnswer: Hashable, Sendable {
    case content([UInt8], ContentValidators)
    /// The version that the request named is the current one.
    case unchanged
    /// The server answered with an error; it may have asked for a pause.
    case refused(status: Int, retryAfter: Duration?)
    /// There was no answer that can be used, for a short reason without secrets.
    case failed(String)
}

/// Fetches from addresses that operators named, and from no address of the server's own networks.
package protocol ContentFetcher: Sendable {
    /// Why an address is forbidden, as text that follows "must"; `nil` when it is allowed.
    ///
    /// It checks only the text; the addresses of its name are checked before each request.
    func objection(to url: String) -> String?

    /// Fetches within bounds of time and size; a redirect is checked like an address of its own.
    func fetch(_ fetch: ContentFetch) async -> ContentFetchAnswer
}
