import CarillonModel

/// What a round does for all Apps together.
extension Retention {
    /// Erases what is left of Users whose erasure was too long for the request that asked for it.
    func continueErasures() async {
        do throws(StoreError) {
            guard !isStopping, try await users.hasPendingErasures() else { return }
            // Each node may ask; one has the turn.
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

    /// Drops idempotency keys that no request can be repeated under any more.
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

    /// Drops entries of the audit log that are older than a year.
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
