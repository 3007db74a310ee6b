import CarillonModel
import Testing

@testable import CarillonStore

/// Which versions of tables are in memory.
struct PlaceAdmissionTests {
    /// A memory as a search uses it: what may be read, is.
    private struct Memory {
        var admission: PlaceAdmission
        var readings = 0

        init(_ change: (inout PlaceAdmission.Limits) -> Void = { _ in }) {
            var limits = PlaceAdmission.Limits()
            (limits.size, limits.versionSize) = (100, 50)
            change(&limits)
            admission = PlaceAdmission(limits)
        }

        /// Searches a version of a table.
        ///
        /// - Returns: Whether it was in memory.
        @discardableResult
        mutating func search(_ table: Int, version: Int64 = 0, size: Int = 10) -> Bool {
            let key = PlaceAdmission.Key(app: AppID(rawValue: 1), slot: Int64(table) * 1_000 + version)
            let name = PlaceAdmission.Table(app: AppID(rawValue: 1), set: "s", name: "\(table)")
            switch admission.search(key) {
            case .useMemory: return true
            case .askDatabase: return false
            case .consider:
                guard admission.mayRead(key, of: name, size: size) else {
                    admission.giveUp(key)
                    return false
                }
                readings += 1
                let displaced = admission.hold(key, of: name, size: size)
                #expect(displaced != nil)
                #expect(admission.size <= admission.limits.size)
                return false
            }
        }

        mutating func search(_ table: Int, times: Int, size: Int = 10) {
            for _ in 0..<times { search(table, size: size) }
        }

        var tables: [Int64] { admission.keys.map { $0.slot / 1_000 }.sorted() }
    }

    @Test("What is searched seldom is not read") func seldom() {
        var memory = Memory()
        for table in 0..<500 { memory.search(table) }
        memory.search(7, times: 98)
        #expect(memory.readings == 0)
        memory.search(7)
        let isThere = memory.search(7)
        #expect(isThere && memory.readings == 1)
    }

    @Test("Tables that are searched in turn, more than there is room for, do not displace each other")
    func inTurn() {
        var memory = Memory { $0.halving = 1_500 }
        for _ in 0..<10_000 { for table in 0..<13 { memory.search(table) } }
        // Ten have room; each is read once.
        #expect(memory.tables.count == 10 && memory.readings <= 10)
    }

    @Test("What is searched far more often takes the room of what is searched least") func displaces() {
        var memory = Memory()
        for table in 0..<10 { memory.search(table, times: 200 + table) }
        memory.search(50, times: 399)
        #expect(!memory.tables.contains(50))
        memory.search(50, times: 402)
        #expect(memory.tables == [1, 2, 3, 4, 5, 6, 7, 8, 9, 50])
    }

    @Test("A large table has to be worth the room of all that it displaces") func large() {
        var memory = Memory()
        for table in 0..<10 { memory.search(table, times: 200) }
        memory.search(50, times: 1_500, size: 40)
        #expect(!memory.tables.contains(50))
        memory.search(50, times: 1_701, size: 40)
        #expect(memory.tables.contains(50) && memory.tables.count == 7)
    }

    @Test("A later version takes the room of the earlier one, however often others are searched") func versions() {
        var memory = Memory()
        for table in 0..<10 { memory.search(table, times: 1_000) }
        for _ in 0..<101 { memory.search(3, version: 1) }
        // Cursors may still read the earlier one.
        let (isNew, isOld, isStillNew) = (
            memory.search(3, version: 1), memory.search(3), memory.search(3, version: 1)
        )
        #expect(isNew && !isOld && isStillNew)
        #expect(memory.tables == Array(0..<10) && memory.readings == 11)
    }

    @Test("What was searched often long ago gives way") func ages() {
        var memory = Memory { $0.halving = 1_000 }
        for table in 0..<10 { memory.search(table, times: 5_000) }
        for _ in 0..<20 { for table in 20..<30 { memory.search(table, times: 100) } }
        #expect(memory.tables == Array(20..<30))
    }

    @Test("What is larger than a version may be is left to the database, and looked at again seldom") func tooLarge() {
        var memory = Memory()
        let key = PlaceAdmission.Key(app: AppID(rawValue: 1), slot: 1)
        let table = PlaceAdmission.Table(app: AppID(rawValue: 1), set: "s", name: "t")
        var considered = 0
        for _ in 0..<10_000 where memory.admission.search(key) == .consider {
            considered += 1
            // The size is known when it was read.
            #expect(memory.admission.mayRead(key, of: table, size: 50))
            let displaced = memory.admission.hold(key, of: table, size: 51)
            #expect(displaced == nil)
        }
        #expect(considered == 7 && memory.admission.keys.isEmpty)
    }

    @Test("One version is read at a time, and after a failure another search tries again") func oneReading() {
        var admission = PlaceAdmission()
        let keys = (1...2).map { PlaceAdmission.Key(app: AppID(rawValue: 1), slot: $0) }
        let ask = { (key: PlaceAdmission.Key) in (0..<200).count { _ in admission.search(key) == .consider } }
        let (first, second) = (ask(keys[0]), ask(keys[1]))
        #expect(first == 1 && second == 0)
        admission.release(keys[0])
        let (other, again) = (ask(keys[1]), ask(keys[0]))
        #expect(other == 1 && again == 0)
    }
}
