import CarillonModel
import CarillonOperatorModel
import Logging

/// How long one App's rows are stored.
private struct AppRetention {
    var app: AppID
    var days: RetentionDays
}

/// All Apps' days, as a round begins.
private struct RetentionSettings {
    var apps: [AppRetention] = []
    /// Whether every App's days could be read; otherwise the longest retention is unknown.
    var isComplete = true
    /// The time from which a round computes ages.
    ///
    /// A round has one time: a week that becomes old enough meanwhile is dropped as a whole by the next round, and not
    /// deleted row by row by this one.
    let now: Timestamp

    /// The time a number of days before the round.
    func ago(_ days: Int) -> Timestamp { now.advanced(by: .seconds(-86_400 * days)) }

    /// The longest retention of rows of a kind in any App.
    func longest(_ subject: RetentionSubject, _ options: Retention.Options) -> Int {
        apps.map { subject.days($0.days, options) }.max() ?? subject.days(RetentionDays(), options)
    }
}

/// The result of a part of a round.
private enum RetentionOutcome {
    case done
    /// Something failed; a later round repeats it.
    case failed
    /// The process ends, or another node has the claim, so the round ends.
    case stopped
}

extension Retention {
    /// Creates future partitions and deletes everything that is old enough now.
    ///
    /// Failures are counted and logged, and the next round repeats them; the other steps continue.
    ///
    /// - Returns: False when another node does it, something failed or the process ends: it is retried soon.
    package func round() async -> Bool { await round(of: Set(RetentionSubject.allCases)).isEmpty }

    /// Creates future partitions and deletes what is old enough of some subjects.
    ///
    /// - Parameter subjects: The subjects that the last round did not finish; all of them at first.
    /// - Returns: The subjects that are not finished.
    func round(of subjects: Set<RetentionSubject>) async -> Set<RetentionSubject> {
        var claim = RetentionClaim(leaseTime: options.leaseTime)
        guard await renew(&claim) else { return subjects }
        await makePartitions(.thorough)
        var left = subjects
        let settings = await readSettings()
        var pending: Set<RetentionSubject> = []
        for subject in RetentionSubject.partitioned where subjects.contains(subject) {
            if await !dropPartitions(of: subject, settings) { pending.insert(subject) }
        }
        for subject in RetentionSubject.allCases where subjects.contains(subject) {
            let hasPending = pending.contains(subject)
            switch await drop(subject, settings, hasPending: hasPending, &claim) {
            case .done: if settings.isComplete, !hasPending { left.remove(subject) }
            case .failed: break
            case .stopped: return left
            }
        }
        await dropInvalidTokens(&claim)
        await dropAuditEntries(&claim)
        await dropIdempotencyKeys(&claim)
        await dropUnusedRecipients(&claim)
        await dropRemovedTokens(&claim)
        await sweepAccounts(&claim)
        await dropExpiredOfOperators(&claim)
        await continueErasures()
        // Once a day, on one node, as everything here.
        if !isStopping { await pushKeys?.checkDue() }
        if left.isEmpty { figures.completeRound(at: clock.now()) }
        return left
    }

    /// Creates the partitions of the coming weeks, independent of other failures.
    ///
    /// - Parameter patience: How long it may take.
    /// - Returns: Whether none is missing.
    @discardableResult
    package func makePartitions(_ patience: PartitionPatience) async -> Bool {
        do throws(StoreError) {
            let now = clock.now()
            let newest = now.advanced(by: .seconds(86_400 * options.daysAhead))
            let report = try await store.makePartitions(from: now, through: newest, patience)
            figures.setMissingPartitions(report.missing)
            if report.made > 0 {
                logger.info("Partitions were created", metadata: ["carillon.partitions": "\(report.made)"])
            }
            guard !report.missing.isEmpty else { return true }
            logger.error(
                "Weeks have no partition; their rows go to the default partition",
                metadata: ["carillon.partitions": "\(report.missing.joined(separator: " "))"]
            )
        } catch {
            fail("partitions", error)
        }
        return false
    }

    var isStopping: Bool { shutdown.isRaised || Task.isCancelled }

    func sleep(_ duration: Duration) async {
        let count = signal.count
        guard !isStopping, duration > .zero else { return }
        await signal.wait(after: count, until: timer.now() + duration, by: timer)
    }

    // MARK: - Private

    func fail(_ subject: String, _ error: StoreError, app: AppID? = nil) {
        figures.countFailure(of: subject)
        logger.warning(
            "A step of retention failed; a later round repeats it",
            metadata: [
                "carillon.subject": "\(subject)", "carillon.app": "\(app.map { "\($0)" } ?? "-")",
                "carillon.error": "\(error)",
            ]
        )
    }

    /// Renews this node's claim when a third of its time is over; returns whether the node has it.
    func renew(_ claim: inout RetentionClaim) async -> Bool {
        do throws(StoreError) {
            return try await claim.renew(in: store, owner: owner, at: clock.now())
        } catch {
            fail("claim", error)
            return false
        }
    }

    private func readSettings() async -> RetentionSettings {
        var settings = RetentionSettings(now: clock.now())
        var last: AppID?
        while !isStopping {
            let page: [App]
            do throws(StoreError) {
                page = try await apps.apps(after: last, limit: 100)
            } catch {
                fail("apps", error)
                settings.isComplete = false
                return settings
            }
            for app in page {
                do throws(StoreError) {
                    let days = try await store.days(of: app.id) ?? RetentionDays()
                    settings.apps.append(AppRetention(app: app.id, days: days))
                } catch {
                    fail("days", error, app: app.id)
                    settings.isComplete = false
                }
            }
            guard let id = page.last?.id else { break }
            last = id
        }
        return settings
    }

    /// Drops the partitions that are too old for every App.
    ///
    /// - Returns: Whether none of them is left.
    private func dropPartitions(of subject: RetentionSubject, _ settings: RetentionSettings) async -> Bool {
        guard !isStopping, settings.isComplete else { return false }
        do throws(StoreError) {
            let oldest = settings.ago(settings.longest(subject, options))
            let report = try await store.dropPartitions(of: subject, before: oldest)
            if report != DroppedPartitions() {
                logger.info(
                    "Old partitions were dropped",
                    metadata: [
                        "carillon.subject": "\(subject)", "carillon.dropped": "\(report.dropped)",
                        "carillon.pending": "\(report.pending)", "carillon.held": "\(report.held)",
                    ]
                )
            }
            return report.pending == 0
        } catch {
            fail("partitions", error)
            return false
        }
    }

    /// Deletes the remaining rows of a kind, App by App.
    ///
    /// It begins with another App each time, so that Apps whose steps always fail do not block others for ever.
    private func drop(
        _ subject: RetentionSubject,
        _ settings: RetentionSettings,
        hasPending: Bool,
        _ claim: inout RetentionClaim
    ) async -> RetentionOutcome {
        let longest = settings.longest(subject, options)
        var boundary: Timestamp?
        if RetentionSubject.partitioned.contains(subject) {
            do throws(StoreError) {
                boundary = try await store.partitionBoundary(of: subject, before: settings.ago(longest))
            } catch {
                fail(subject.rawValue, error)
                return .failed
            }
        }
        let count = settings.apps.count
        let first = Int(clock.now().rawValue / options.leaseTime.wholeMilliseconds) % max(1, count)
        var failures = 0
        var hasFailed = false
        for place in 0..<count where failures < options.failureLimit {
            let setting = settings.apps[(first + place) % count]
            let days = subject.days(setting.days, options)
            var time = settings.ago(days)
            if let boundary, days == longest {
                // A partition that could not be dropped now is dropped later, not deleted row by row.
                guard !hasPending else { continue }
                time = boundary
            }
            do throws(StoreError) {
                guard try await drop(subject, of: setting.app, before: time, &claim) else { return .stopped }
                failures = 0
            } catch {
                fail(subject.rawValue, error, app: setting.app)
                failures += 1
                hasFailed = true
            }
        }
        return hasFailed ? .failed : .done
    }

    /// - Returns: False when the round ends here.
    private func drop(
        _ subject: RetentionSubject,
        of app: AppID,
        before time: Timestamp,
        _ claim: inout RetentionClaim
    ) async throws(StoreError) -> Bool {
        var cursor: RetentionCursor? = .start
        while let place = cursor {
            guard !isStopping, await renew(&claim) else { return false }
            let begin = timer.now()
            cursor = try await store.drop(subject, of: app, before: time, after: place, limit: options.stepSize)
            // The last step of an App finds no rows, so its duration is not representative.
            guard cursor != nil else { break }
            figures.countStep(of: subject, took: timer.now() - begin)
            await sleep(options.pause)
        }
        return true
    }
}

extension Duration {
    /// At least one.
    fileprivate var wholeMilliseconds: Int64 {
        max(1, components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000)
    }
}
