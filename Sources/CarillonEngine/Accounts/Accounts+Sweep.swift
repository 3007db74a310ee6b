import CarillonModel
import CarillonOperatorModel

/// How far expired things of accounts are deleted.
package struct AccountSweep: Sendable {
    fileprivate var apps: [(app: AppID, rules: AccountRules)] = []
    fileprivate var last: AppID?
    fileprivate var hasAllApps = false
    fileprivate var hasDroppedExpired = false
    fileprivate var guest: StaleGuest?

    package init() {}
}

extension Accounts {
    /// How many rows a step reads.
    private static let stepSize = 200

    /// Deletes some of what has expired: tokens, counts of attempts, sign-ups that were never completed, and guests
    /// without Devices that nobody used for the days that the App's rules say.
    ///
    /// A guest of whom the store has more, such as attributes, is erased as a User.
    ///
    /// - Parameter sweep: How far it is.
    /// - Returns: Whether there is more.
    /// - Throws: ``StoreError``; the step is repeated by the next sweep.
    package func advance(_ sweep: inout AccountSweep) async throws(StoreError) -> Bool {
        if sweep.apps.isEmpty {
            guard !sweep.hasAllApps else { return false }
            sweep.apps = try await store.rulesOfApps(after: sweep.last, limit: 100)
            sweep.hasAllApps = sweep.apps.count < 100
            sweep.last = sweep.apps.last?.app
            return !sweep.apps.isEmpty
        }
        let (app, rules) = sweep.apps[0]
        let now = clock.now()
        if !sweep.hasDroppedExpired {
            let begun = Timestamp(rawValue: now.rawValue - Self.activationTime)
            let hasMore = try await store.dropExpired(app: app, at: now, begunBefore: begun, limit: Self.stepSize)
            sweep.hasDroppedExpired = !hasMore
            return true
        }
        // A day more: a use is recorded to the day, so that the last one may have been a day later than what is stored.
        let oldest = now.advanced(by: .seconds(-86_400 * (rules.guestDays + 1)))
        let guests = try await store.staleGuests(
            app: app,
            usedBefore: oldest,
            after: sweep.guest,
            limit: Self.stepSize
        )
        let others = try await store.dropGuests(guests.map(\.user), app: app, usedBefore: oldest)
        for user in others { try await erase(user, app: app) }
        sweep.guest = guests.last
        if guests.count < Self.stepSize {
            sweep.apps.removeFirst()
            (sweep.hasDroppedExpired, sweep.guest) = (false, nil)
        }
        return true
    }

    private func erase(_ user: UserID, app: AppID) async throws(StoreError) {
        do throws(EngineError) {
            try await users.erase(user, app: app)
        } catch EngineError.store(let error) {
            throw error
        } catch {
            // It was erased meanwhile, or its App was deleted.
        }
    }
}
