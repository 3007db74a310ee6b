public import CarillonModel

extension CarillonClient {
    // MARK: - Messages to other people

    /// Sends a notification to another user of the app, as the user of this phone.
    ///
    /// The App has to allow it, and users have to be proved (`userProof`): see the server's `docs/http-api.md`. The other
    /// person's app finds this user's id in the push, as `from` among the message's data. Whether there is such a user,
    /// or they agreed to notifications, is not told.
    ///
    /// It is tried once and nothing is kept: what a person wrote must not go out an hour later by itself. Keep the text
    /// and let them send it again. After `unreachable` and `deadlineExceeded` it may have gone out all the same.
    ///
    /// - Parameters:
    ///   - user: To whom: the App's own id of the person.
    ///   - title: 1 through 100 characters, or `nil`; an App may allow fewer, or none.
    ///   - body: 1 through 1,000 characters; an App may allow fewer.
    /// - Throws: ``CarillonError``; `userRequired` without a user, `invalidArgument` for a text that is too long or
    ///   empty, `unavailable` with ``CarillonError/retryAfter`` when this phone sends, or the other person is sent, too
    ///   much; `refused` with the problem `user-messages-off` when the App does not allow it, `user-message-refused`
    ///   when its back end does not.
    public func send(to user: UserID, title: String? = nil, body: String) async throws(CarillonError) {
        let message = try Checked.value(UserMessage(to: user, title: title, body: body))
        try await asUser { await $0.say("POST", "messages", of: $1, body: message) }
    }
}
