import CarillonModel

/// The steps of a round that concern all Apps together.
extension Retention {
    /// Longer than it takes to save all recipients of a Campaign.
    private static var savingTime: Duration { .seconds(3_600) }

    /// How long an import leaves a token alone that was removed here.
    private static var removalTime: Duration { .seconds(180 * 86_400) }

    /// Continues erasures of Users that took longer than their requests.
    func continueErasures() async {
        do throws(StoreError) {
            guard !isStopping, try await users.hasPendingErasures() else { return }
            // Any node may try; the claim admits one.
            var claim = RetentionClaim(name: "erasures", leaseTime: options.leaseTime)
            repeat {
                guard !isStopping, await renew(&claim) else { return }
                await sleep(options.pause)
            } while try await users.continueErasures()
        } catch {
            fail("erasures", error)
        }
    }

    func dropInvalidTokens(_ claim: inout RetentionClaim) async {
        await inSteps("invalidTokens", &claim) { () async throws(StoreError) in
            try await users.removeOldInvalidTokens()
        }
    }

    /// Deletes idempotency keys that have expired.
    func dropIdempotencyKeys(_ claim: inout RetentionClaim) async {
        let oldest = Timestamp(rawValue: clock.now().rawValue - Idempotency.memory)
        await inSteps("idempotencyKeys", &claim) { () async throws(StoreError) in
            try await store.dropIdempotencyKeys(before: oldest, limit: options.stepSize)
        }
    }

    /// Deletes the notes of tokens that were removed long ago: by then nobody imports the other service's files any more.
    func dropRemovedTokens(_ claim: inout RetentionClaim) async {
        let oldest = clock.now().advanced(by: .zero - Self.removalTime)
        await inSteps("removedTokens", &claim) { () async throws(StoreError) in
            try await store.dropRemovedTokens(before: oldest, limit: options.stepSize)
        }
    }

    /// Deletes lists of recipients that were left without a Campaign, as by a process that ended meanwhile.
    func dropUnusedRecipients(_ claim: inout RetentionClaim) async {
        let oldest = clock.now().advanced(by: .zero - Self.savingTime)
        await inSteps("recipients", &claim) { () async throws(StoreError) in
            try await store.dropUnusedRecipients(before: oldest)
        }
    }

    /// Deletes what has expired of accounts: tokens, sign-ups that were never completed, guests that nobody uses.
    func sweepAccounts(_ claim: inout RetentionClaim) async {
        guard let accounts else { return }
        var sweep = AccountSweep()
        do throws(StoreError) {
            repeat {
                guard !isStopping, await renew(&claim) else { return }
                await sleep(options.pause)
            } while try await accounts.advance(&sweep)
        } catch {
            fail("accounts", error)
        }
    }

    /// Deletes expired sessions and links of Operators, and counts of attempts that are over.
    func dropExpiredOfOperators(_ claim: inout RetentionClaim) async {
        guard let operators else { return }
        await inSteps("operators", &claim) { () async throws(StoreError) in
            try await operators.dropExpired(limit: options.stepSize)
        }
    }

    /// Deletes entries of the audit log that are older than a year.
    func dropAuditEntries(_ claim: inout RetentionClaim) async {
        let now = clock.now()
        let oldest = now.advanced(by: .zero - AuditLog.keptFor)
        await inSteps("auditLog", &claim) { () async throws(StoreError) in
            try await store.dropAuditEntries(before: oldest, at: now, limit: options.stepSize) == options.stepSize
        }
    }

    /// Takes steps, each after a pause and with the claim renewed, until there are no more.
    ///
    /// - Parameters:
    ///   - name: What a failure is counted and logged as.
    ///   - claim: This node's right to it.
    ///   - step: One step; returns whether there may be more.
    private func inSteps(
        _ name: String,
        _ claim: inout RetentionClaim,
        _ step: () async throws(StoreError) -> Bool
    ) async {
        do throws(StoreError) {
            repeat {
                guard !isStopping, await renew(&claim) else { return }
                await sleep(options.pause)
            } while try await step()
        } catch {
            fail(name, error)
        }
    }
}
