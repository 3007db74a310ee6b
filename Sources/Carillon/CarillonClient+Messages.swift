public import CarillonModel

extension CarillonClient {
    // MARK: - Messages to other people

    /// Sends a notification to another user of the app, as the user of this phone.
    ///
    /// The App must allow it, and users must be proved (`userProof`): see the server's `docs/http-api.md`. The push has this
    /// user's id as `from` in its data. The answer does not tell whether there is such a user, or whether they agreed to
    /// notifications.
    ///
    /// It is sent once, without retries, and not saved: what a person wrote must not go out an hour later by itself. Keep
    /// the text and let them send it again. After `unreachable` and `deadlineExceeded` it may have been sent.
    ///
    /// - Parameters:
    ///   - user: The recipient, by the app's own id.
    ///   - title: 1 through 100 characters, or `nil`; an App may allow fewer, or none.
    ///   - body: 1 through 1,000 characters; an App may allow fewer.
    /// - Throws: ``CarillonError``; `userRequired` without a user, `invalidArgument` for a text that is too long or
    ///   empty, `unavailable` with ``CarillonError/retryAfter`` when a rate limit of the sender or of the recipient is
    ///   exceeded; `refused` with the problem `user-messages-off` when the App does not allow it, `user-message-refused`
    ///   when its back end does not.
    public func send(to user: UserID, title: String? = nil, body: String) async throws(CarillonError) {
        let message = UserMessage(to: user, title: title, body: body)
        try validate(try message.validate())
        try await requestAsUser("POST", "messages", body: message).get()
    }
}
