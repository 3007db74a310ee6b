import CarillonEngine
import CarillonModel
import Testing

struct WorkPassTests {
    private let app = AppID(rawValue: 1)
    private let key = ChunkKey(app: AppID(rawValue: 1), occurrence: OccurrenceID(rawValue: 2), number: 3)

    @Test("One look that sees everything is a whole pass")
    func isWholeAtOnce() {
        var pass = WorkPass()
        #expect(!pass.isWhole)
        pass.record(DispatchOverview(), from: WorkCursor())
        #expect(pass.isWhole)
    }

    @Test("A pass is whole even if the kinds end at different looks", arguments: [0, 1])
    func turnsApart(_ phase: Int) {
        var (pass, cursor) = (WorkPass(), WorkCursor())
        var looks = 0
        while !pass.isWhole, looks < 10 {
            var overview = DispatchOverview()
            overview.isByApp = true
            // Two looks each, and one begins while the other ends.
            overview.moreChunks = looks % 2 == 0 ? key : nil
            overview.moreApps = (looks + phase) % 2 == 0 ? app : nil
            pass.record(overview, from: cursor)
            (cursor.chunk, cursor.app) = (overview.moreChunks, overview.moreApps)
            looks += 1
        }
        #expect(looks == 2)
    }

    @Test("A pass waits for signals since its first look, and records withheld work")
    func remembers() {
        var (pass, cursor) = (WorkPass(), WorkCursor())
        var overview = DispatchOverview()
        overview.moreChunks = key
        pass.record(overview, from: cursor, signal: 3, isKeptBack: true)
        cursor.chunk = key
        pass.record(DispatchOverview(), from: cursor, signal: 5, isKeptBack: false)
        #expect(pass.isWhole)
        #expect(pass.signal == 3)
        #expect(pass.isKeptBack)
    }

    @Test("A kind that begins in the middle is whole only after both its end and its beginning")
    func beginsInTheMiddle() {
        var pass = WorkPass()
        var cursor = WorkCursor()
        cursor.chunk = key
        pass.record(DispatchOverview(), from: cursor)
        #expect(!pass.isWhole)
        pass.record(DispatchOverview(), from: WorkCursor())
        #expect(pass.isWhole)
    }
}
