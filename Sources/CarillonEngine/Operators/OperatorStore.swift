package import CarillonModel
package import CarillonOperatorModel

/// An Operator as it is stored.
package struct StoredOperator: Hashable, Sendable {
    package var record: Operator
    /// The address with what is unique of it.
    package var name: AccountName
    /// `nil` before the invitation is accepted.
    package var password: PasswordHash?
    /// The sealed secret of the second factor; `nil` for none.
    package var secondFactor: [UInt8]?
    /// Wrong passwords and codes since the Operator signed in last.
    package var failedAttempts: Int

    package init(
        record: Operator,
        name: AccountName,
        password: PasswordHash? = nil,
        secondFactor: [UInt8]? = nil,
        failedAttempts: Int = 0
    ) {
        self.record = record
        self.name = name
        self.password = password
        self.secondFactor = secondFactor
        self.failedAttempts = failedAttempts
    }
}

/// The result of inserting an Operator.
package enum OperatorInsertion: Hashable, Sendable {
    case done
    case addressTaken
    case unknownApp(AppID)
    /// Nothing was inserted: the session of who asked has ended, or is of no active admin any more.
    case actorGone
}

/// The result of changing an Operator.
package enum OperatorWriting: Hashable, Sendable {
    case done(before: Operator, after: Operator)
    case unknown
    case unknownApp(AppID)
    /// Nothing was changed: no other active Operator is an admin everywhere.
    case lastAdmin
    /// Nothing was changed: the session of who asked has ended, or is of no active admin any more.
    case actorGone
}

/// Stores Operators, their sessions and links, and counts of attempts.
///
/// Changes name the session of who asks, `nil` for the server: the same transaction checks that it is there still, and that
/// its owner is an active admin everywhere.
package protocol OperatorStore: OperatorSessionStore, OperatorLinkStore, OperatorAttemptStore, OperatorPasskeyStore,
    OperatorIdentityStore
{
    /// Whether there is an active Operator who is an admin everywhere.
    func hasAdmin() async throws(StoreError) -> Bool

    /// Returns an Operator; `nil` when there is none.
    func find(_ id: OperatorID) async throws(StoreError) -> StoredOperator?

    /// Returns the Operator with an address's key; `nil` when there is none.
    func find(named key: String) async throws(StoreError) -> StoredOperator?

    /// Returns Operators ordered by id.
    func operators(after id: OperatorID?, limit: Int) async throws(StoreError) -> [Operator]

    /// Inserts an Operator with the link of the invitation.
    func insert(
        _ new: StoredOperator,
        link: NewOperatorLink,
        by session: OperatorSessionID?
    ) async throws(StoreError) -> OperatorInsertion

    /// Changes roles, state and name; check and change are one transaction.
    ///
    /// Other roles and disabling end all sessions; disabling ends all links. An Operator who is enabled again is invited
    /// still when there is no password.
    func update(
        _ id: OperatorID,
        _ update: OperatorUpdate,
        by session: OperatorSessionID?
    ) async throws(StoreError) -> OperatorWriting

    /// Changes what the Operator chooses.
    func setPreferences(
        _ preferences: OperatorPreferences,
        of id: OperatorID
    ) async throws(StoreError) -> OperatorWriting

    /// Deletes an Operator with sessions, links, roles and codes.
    func remove(_ id: OperatorID, by session: OperatorSessionID?) async throws(StoreError) -> OperatorWriting

    /// Inserts an admin with a link, or makes the Operator with the address an invited admin: sessions, links, password,
    /// second factor and recovery codes of before are gone.
    ///
    /// - Returns: The Operator, before and after; `nil` before when it is new.
    func makeAdmin(
        _ new: StoredOperator,
        link: NewOperatorLink
    ) async throws(StoreError) -> (before: Operator?, after: Operator)

    /// Deletes some expired sessions, links and forgotten attempts.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - idleBefore: Sessions that were not used since then have ended.
    ///   - limit: The maximum number of rows of a kind.
    /// - Returns: Whether there may be more.
    /// - Throws: ``StoreError``.
    func dropExpired(at now: Timestamp, idleBefore: Timestamp, limit: Int) async throws(StoreError) -> Bool
}
