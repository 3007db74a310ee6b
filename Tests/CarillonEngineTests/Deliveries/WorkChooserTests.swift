import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Testing

struct WorkChooserTests {
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
        _ chooser: inout WorkChooser,
        campaigns: [CampaignID] = [],
        chunks: [OpenChunk] = [],
        waves: [OpenWave] = [],
        held: Set<ChunkKey> = [],
        session: DispatcherSession? = nil,
        isStopped: Bool = false,
        after time: Duration = .zero
    ) -> WorkChooser.Choice {
        chooser.choose(
            from: DispatchOverview(dueCampaigns: campaigns, nextWake: nil, chunks: chunks, waves: waves),
            held: held,
            session: session,
            isStopped: { _, _ in isStopped },
            now: now,
            looked: (instant + time)...(instant + time)
        )
    }

    @Test func startsCampaignsThenTakesChunksThenReads() {
        var chooser = WorkChooser(leaseTime: .seconds(10))
        let free = chunk(isHeld: false)

        #expect(choose(&chooser, campaigns: [campaign], chunks: [free], waves: [wave()]) == .start(campaign))
        #expect(choose(&chooser, chunks: [free], waves: [wave()]) == .again(free))
        #expect(choose(&chooser, waves: [wave(nextRetry: 1_000)]) == .retries(wave(nextRetry: 1_000)))
        #expect(choose(&chooser, waves: [wave(nextRetry: 1_001)]) == .devices(wave(nextRetry: 1_001)))
        #expect(choose(&chooser) == .wait(due: nil, look: nil))
    }

    @Test func takesAChunkWhoseHolderShowsNoSignOfLifeForALease() {
        var chooser = WorkChooser(leaseTime: .seconds(10))

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

    @Test func givesHoldersALeaseToComeBackAfterTheStoreWasAway() {
        var chooser = WorkChooser(leaseTime: .seconds(10))
        _ = choose(&chooser, chunks: [chunk()])

        chooser.noteFailure(at: instant + .seconds(4))
        chooser.noteFailure(at: instant + .seconds(8))

        #expect(
            choose(&chooser, chunks: [chunk()], after: .seconds(12)) == .wait(due: nil, look: instant + .seconds(22))
        )
        #expect(choose(&chooser, chunks: [chunk()], after: .seconds(22)) == .again(chunk()))
    }

    @Test func countsOnWhenTheStoreFailsForAMoment() {
        var chooser = WorkChooser(leaseTime: .seconds(10))
        _ = choose(&chooser, chunks: [chunk()])

        chooser.noteFailure(at: instant + .seconds(4))
        _ = choose(&chooser, chunks: [chunk()], after: .seconds(5))
        chooser.noteFailure(at: instant + .seconds(9))

        #expect(choose(&chooser, chunks: [chunk()], after: .seconds(10)) == .again(chunk()))
    }

    @Test func leavesItsOwnChunksAndStoppedCampaignsAlone() {
        var chooser = WorkChooser(leaseTime: .seconds(10))

        #expect(choose(&chooser, chunks: [chunk()], held: [key]) == .wait(due: nil, look: nil))
        #expect(choose(&chooser, chunks: [chunk()], held: [key], after: .seconds(60)) == .wait(due: nil, look: nil))
        #expect(choose(&chooser, waves: [wave()], isStopped: true) == .wait(due: nil, look: nil))
        #expect(choose(&chooser, chunks: [chunk(isHeld: false)], isStopped: true) == .wait(due: nil, look: nil))
    }

    @Test("What its own session holds and nobody works on is free after a lease")
    func findsStrays() {
        var chooser = WorkChooser(leaseTime: .seconds(10))

        #expect(choose(&chooser, chunks: [chunk()], session: holder) == .wait(due: nil, look: instant + .seconds(10)))
        #expect(
            choose(&chooser, chunks: [chunk(beat: 4)], session: holder, after: .seconds(9))
                == .wait(due: nil, look: instant + .seconds(10))
        )
        #expect(
            choose(&chooser, chunks: [chunk(beat: 5)], session: holder, after: .seconds(10)) == .again(chunk(beat: 5))
        )
    }

    @Test func closesRetriesOfACancelledCampaignBeforeTheirTime() {
        var chooser = WorkChooser(leaseTime: .seconds(10))
        let cancelling = wave(isCancelling: true, nextRetry: 99_999)

        #expect(choose(&chooser, waves: [cancelling], isStopped: true) == .retries(cancelling))
        #expect(choose(&chooser, waves: [wave(isCancelling: true)]) == .wait(due: nil, look: nil))
    }
}
