import CarillonModel

/// The steps of a round that concern all Apps together.
extension Retention {
    /// Longer than it takes to save all recipients of a Campaign.
    private static var savingTime: Duration { .seconds(3_600) }

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
        do throws(StoreError) {
            repeat {
                guard !isStopping, await renew(&claim) else { return }
                await sleep(options.pause)
            } while try await users.removeOldInvalidTokens()
        } catch {
            fail("invalidTokens", error)
        }
    }

    /// Deletes idempotency keys that have expired.
    func dropIdempotencyKeys(_ claim: inout RetentionClaim) async {
        let oldest = Timestamp(rawValue: clock.now().rawValue - Idempotency.memory)
        do throws(StoreError) {
            repeat {
                guard !isStopping, await renew(&claim) else { return }
                await sleep(options.pause)
            } while try await store.dropIdempotencyKeys(before: oldest, limit: options.stepSize)
        } catch {
            fail("idempotencyKeys", error)
        }
    }

    /// Deletes the notes of tokens that were removed long ago: by then nobody imports the other service's files any more.
    func dropRemovedTokens(_ claim: inout RetentionClaim) async {
        let oldest = clock.now().advanced(by: .zero - Self.removalTime)
        do throws(StoreError) {
            repeat {
                guard !isStopping, await renew(&claim) else { return }
                await sleep(options.pause)
            } while try await store.dropRemovedTokens(before: oldest, limit: options.stepSize)
        } catch {
            fail("removedTokens", error)
        }
    }

    /// How long an import leaves a token alone that was removed here.
    private static let removalTime = Duration.seconds(180 * 86_400)

    /// Deletes lists of recipients that were left without a Campaign, as by a process that ended meanwhile.
    func dropUnusedRecipients(_ claim: inout RetentionClaim) async {
        let oldest = clock.now().advanced(by: .zero - Self.savingTime)
        do throws(StoreError) {
            repeat {
                guard !isStopping, await renew(&claim) else { return }
                await sleep(options.pause)
            } while try await store.dropUnusedRecipients(before: oldest)
        } catch {
            fail("recipients", error)
        }
    }

    /// Deletes entries of the audit log that are older than a year.
    func dropAuditEntries(_ claim: inout RetentionClaim) async {
        let now = clock.now()
        let oldest = now.advanced(by: .zero - AuditLog.keptFor)
        do throws(StoreError) {
            repeat {
                guard !isStopping, await renew(&claim) else { return }
                await sleep(options.pause)
                let count = try await store.dropAuditEntries(before: oldest, at: now, limit: options.stepSize)
                guard count == options.stepSize else { return }
            } while true
        } catch {
            fail("auditLog", error)
        }
    }
}
