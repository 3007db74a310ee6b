import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Testing

struct WorkSelectorTests {
    private let key = ChunkKey(app: AppID(rawValue: 1), occurrence: OccurrenceID(rawValue: 3), number: 1)
    private let campaign = CampaignID(rawValue: 2)
    private let instant = ContinuousClock.now
    private let now = Timestamp(rawValue: 1_000)

    private let holder = DispatcherSession(rawValue: 5)

    private func chunk(fence: Int64 = 1, beat: Int64 = 0, isHeld: Bool = true) -> OpenChunk {
        let range = ChunkRange.devices(
            wave: 1,
            after: DeviceNumber(rawValue: 0),
            through: DeviceNumber(rawValue: 9)
        )
        return OpenChunk(
            lease: Lease(chunk: key, campaign: campaign, range: range, fence: fence),
            beat: beat,
            holder: isHeld ? holder : nil,
            isCancelling: false
        )
    }

    private func wave(isRead: Bool = false, isCancelling: Bool = false, nextRetry: Int64? = nil) -> OpenWave {
        OpenWave(
            app: key.app,
            campaign: campaign,
            occurrence: key.occurrence,
            wave: 1,
            dueAt: Timestamp(rawValue: 0),
            cursor: DeviceNumber(rawValue: 0),
            lastDevice: DeviceNumber(rawValue: 9),
            isRead: isRead,
            isCancelling: isCancelling,
            nextRetry: nextRetry.map(Timestamp.init(rawValue:))
        )
    }

    private func choose(
        _ chooser: inout WorkSelector,
        campaigns: [CampaignID] = [],
        chunks: [OpenChunk] = [],
        waves: [OpenWave] = [],
        held: Set<ChunkKey> = [],
        session: DispatcherSession? = nil,
        isStopped: Bool = false,
        shares: SlotShares = SlotShares(.init(chunks: 4, smallChunks: 16, chunkSize: 10, loads: 4)),
        cursor: WorkCursor = WorkCursor(),
        after time: Duration = .zero
    ) -> WorkSelector.Choice {
        var conditions = WorkSelector.Conditions(shares: shares, now: now)
        conditions.held = held
        conditions.session = session
        conditions.isStopped = { _, _ in isStopped }
        conditions.cursor = cursor
        return chooser.choose(
            from: DispatchOverview(
                dueCampaigns: campaigns.map { DueCampaign(campaign: $0, app: key.app, dueAt: now) },
                chunks: chunks,
                waves: waves
            ),
            under: conditions,
            looked: (instant + time)...(instant + time)
        )
    }

    private var start: WorkSelector.Choice {
        .start(DueCampaign(campaign: campaign, app: key.app, dueAt: now))
    }

    @Test("Campaigns are started first, then Chunks are leased, then Devices are read") func startsCampaignsFirst() {
        var chooser = WorkSelector(leaseTime: .seconds(10))
        let free = chunk(isHeld: false)

        #expect(choose(&chooser, campaigns: [campaign], chunks: [free], waves: [wave()]) == start)
        #expect(choose(&chooser, chunks: [free], waves: [wave()]) == .again(free))
        #expect(choose(&chooser, waves: [wave(nextRetry: 1_000)]) == .retries(wave(nextRetry: 1_000)))
        #expect(choose(&chooser, waves: [wave(nextRetry: 1_001)]) == .devices(wave(nextRetry: 1_001)))
        #expect(choose(&chooser) == .wait(due: nil, look: nil))
    }

    @Test("A Chunk whose holder sends no heartbeat for a lease time is taken over") func takesOverLostChunks() {
        var chooser = WorkSelector(leaseTime: .seconds(10))

        #expect(choose(&chooser, chunks: [chunk()]) == .wait(due: nil, look: instant + .seconds(10)))
        #expect(
            choose(&chooser, chunks: [chunk(beat: 1)], after: .seconds(9))
                == .wait(due: nil, look: instant + .seconds(19))
        )
        #expect(
            choose(&chooser, chunks: [chunk(beat: 1)], after: .seconds(18))
                == .wait(due: nil, look: instant + .seconds(19))
        )
        #expect(choose(&chooser, chunks: [chunk(beat: 1)], after: .seconds(19)) == .again(chunk(beat: 1)))
    }

    @Test("Free but withheld Chunks do not cause an immediate new look")
    func waitsForWhatIsKeptBack() {
        var chooser = WorkSelector(leaseTime: .seconds(10))
        _ = choose(&chooser, chunks: [chunk()])
        let wait = WorkSelector.Choice.wait(due: nil, look: nil)
        #expect(choose(&chooser, chunks: [chunk()], isStopped: true, after: .seconds(10)) == wait)

        var overview = DispatchOverview(chunks: [chunk()])
        overview.nextWake = now
        let limits = SlotShares.Limits(chunks: 4, smallChunks: 16, chunkSize: 10, loads: 4)
        var conditions = WorkSelector.Conditions(shares: SlotShares(limits), now: now)
        conditions.isWaiting = { _ in true }
        let instant = instant + .seconds(11)
        #expect(chooser.choose(from: overview, under: conditions, looked: instant...instant) == wait)
    }

    @Test("After a store outage holders have a lease time to return") func waitsAfterOutages() {
        var chooser = WorkSelector(leaseTime: .seconds(10))
        _ = choose(&chooser, chunks: [chunk()])

        chooser.recordFailure(at: instant + .seconds(4))
        chooser.recordFailure(at: instant + .seconds(8))

        #expect(
            choose(&chooser, chunks: [chunk()], after: .seconds(12)) == .wait(due: nil, look: instant + .seconds(22))
        )
        #expect(choose(&chooser, chunks: [chunk()], after: .seconds(22)) == .again(chunk()))
    }

    @Test("A short store failure does not restart lease times") func ignoresShortFailures() {
        var chooser = WorkSelector(leaseTime: .seconds(10))
        _ = choose(&chooser, chunks: [chunk()])

        chooser.recordFailure(at: instant + .seconds(4))
        _ = choose(&chooser, chunks: [chunk()], after: .seconds(5))
        chooser.recordFailure(at: instant + .seconds(9))

        #expect(choose(&chooser, chunks: [chunk()], after: .seconds(10)) == .again(chunk()))
    }

    @Test("Its own Chunks and stopped Campaigns are not selected") func skipsOwnAndStoppedWork() {
        var chooser = WorkSelector(leaseTime: .seconds(10))

        #expect(choose(&chooser, chunks: [chunk()], held: [key]) == .wait(due: nil, look: nil))
        #expect(choose(&chooser, chunks: [chunk()], held: [key], after: .seconds(60)) == .wait(due: nil, look: nil))
        #expect(choose(&chooser, waves: [wave()], isStopped: true) == .wait(due: nil, look: nil))
        #expect(choose(&chooser, chunks: [chunk(isHeld: false)], isStopped: true) == .wait(due: nil, look: nil))
    }

    @Test("A Chunk of its own session on which nobody works is free after a lease time")
    func findsStrays() {
        var chooser = WorkSelector(leaseTime: .seconds(10))

        #expect(choose(&chooser, chunks: [chunk()], session: holder) == .wait(due: nil, look: instant + .seconds(10)))
        #expect(
            choose(&chooser, chunks: [chunk(beat: 4)], session: holder, after: .seconds(9))
                == .wait(due: nil, look: instant + .seconds(10))
        )
        #expect(
            choose(&chooser, chunks: [chunk(beat: 5)], session: holder, after: .seconds(10)) == .again(chunk(beat: 5))
        )
    }

    @Test("Retries of a cancelled Campaign are closed before their time") func closesCancelledRetries() {
        var chooser = WorkSelector(leaseTime: .seconds(10))
        let cancelling = wave(isCancelling: true, nextRetry: 99_999)

        #expect(choose(&chooser, waves: [cancelling], isStopped: true) == .retries(cancelling))
        #expect(choose(&chooser, waves: [wave(isCancelling: true)]) == .wait(due: nil, look: nil))
    }

    // MARK: - Sharing

    private func wave(of app: Int64, _ occurrence: Int64) -> OpenWave {
        var wave = wave()
        wave.app = AppID(rawValue: app)
        wave.occurrence = OccurrenceID(rawValue: occurrence)
        return wave
    }

    @Test("Apps take turns, and so do the Campaigns of each") func takesTurns() {
        var chooser = WorkSelector(leaseTime: .seconds(10))
        let waves = [wave(of: 1, 1), wave(of: 1, 2), wave(of: 1, 3), wave(of: 2, 4), wave(of: 3, 5), wave(of: 3, 6)]
        var cursor = WorkCursor()
        var order: [Int64] = []
        for _ in 0..<9 {
            guard case .devices(let wave) = choose(&chooser, waves: waves, cursor: cursor) else { break }
            order.append(wave.occurrence.rawValue)
            cursor.lastTurn = wave.app
            cursor.record(wave)
        }

        #expect(order == [1, 4, 5, 2, 4, 6, 3, 4, 5])
    }

    @Test("An App with all slots leaves room for another") func leavesRoom() {
        var chooser = WorkSelector(leaseTime: .seconds(10))
        var shares = SlotShares(.init(chunks: 4, smallChunks: 16, chunkSize: 10, loads: 4))
        let large = AppID(rawValue: 1)
        for _ in 0..<4 {
            #expect(shares.hasRoom(for: large))
            shares.acquire(for: large)
            shares.load(10, for: large)
        }

        #expect(!shares.hasRoom(for: large))
        #expect(shares.hasRoom)
        #expect(choose(&chooser, waves: [wave(of: 1, 1)], shares: shares) == .wait(due: nil, look: nil))
        let other = wave(of: 2, 2)
        #expect(choose(&chooser, waves: [wave(of: 1, 1), other], shares: shares) == .devices(other))
        shares.acquire(for: other.app)
        shares.load(10, for: other.app)
        #expect(!shares.hasRoom, "The room that is left is one Chunk's.")
        // The next slot is for the App below its share, whoever's turn it is.
        shares.release(10, for: large)
        shares.release(10, for: large)
        let choice = choose(&chooser, waves: [wave(of: 1, 1), other], shares: shares, cursor: cursor(after: other))
        #expect(choice == .devices(other))
    }

    private func cursor(after wave: OpenWave) -> WorkCursor {
        var cursor = WorkCursor()
        cursor.lastTurn = wave.app
        return cursor
    }

    @Test("Slots are never lost, and never exceed the limit", arguments: 0..<50)
    func sharesAreKept(_ seed: UInt64) {
        let luck = SeededLuck(seed)
        var shares = SlotShares(.init(chunks: 3, smallChunks: 8, chunkSize: 10, loads: 2))
        var loading: [AppID] = []
        var running: [(AppID, Int)] = []
        for _ in 0..<500 {
            let app = AppID(rawValue: Int64(luck.next(5)))
            switch luck.next(3) {
            case 0 where shares.hasRoom(for: app):
                shares.acquire(for: app)
                loading.append(app)
            case 1 where !loading.isEmpty:
                let (app, count) = (loading.remove(at: luck.next(loading.count)), luck.next(11))
                shares.load(count, for: app)
                running.append((app, count))
            case 2 where !running.isEmpty:
                let (app, count) = running.remove(at: luck.next(running.count))
                shares.release(count, for: app)
            default: break
            }
            #expect(loading.count <= 2)
            #expect(running.reduce(10 * loading.count) { $0 + $1.1 } <= 40)
        }
        for app in loading { shares.load(0, for: app) }
        for app in loading { shares.release(0, for: app) }
        for (app, count) in running { shares.release(count, for: app) }
        #expect(shares.appCount(with: []) == 0 && shares.hasRoom)
    }
}
