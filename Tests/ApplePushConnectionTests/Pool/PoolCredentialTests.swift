import ApplePush
import NIOCore
import Testing

@testable import ApplePushConnection

/// What the pool's state machine does with keys, and with answers that spoil a connection.
struct PoolCredentialTests {
    @Test("P-34 a connection carries one key's tokens only, and is given up when it is done")
    func keyRotation() throws {
        var rig = PoolRig()
        let old = try #require(rig.send(10, key: "OLD").connects.first)
        let slice = try #require(rig.ready(old).offers.first?.slice)

        let actions = rig.send(10, key: "NEW")
        let new = try #require(actions.connects.first)
        #expect(actions.offers.isEmpty && actions.drains.isEmpty)
        let offered = rig.ready(new).offers
        #expect(offered.map(\.connection) == [new] && offered.first?.slice.token?.keyID == "NEW")

        let done = rig.finish(slice)
        #expect(done.finished == [Array(repeating: PoolRig.accepted, count: 10)] && done.drains == [old])
    }

    @Test("P-34 notifications that wait with the old key are sent with it, and its connections stay until then")
    func oldKeyDrains() throws {
        var rig = PoolRig { $0.maximumConnections = 1 }
        let old = try #require(rig.send(50, key: "OLD").connects.first)
        var slices = rig.ready(old).offers.map(\.slice)
        #expect(rig.send(10, key: "NEW").connects.isEmpty)
        var drains: [Connection.ID] = []
        var connects: [Connection.ID] = []
        while let slice = slices.popLast() {
            let actions = rig.finish(slice)
            #expect(actions.offers.allSatisfy { $0.connection == old && $0.slice.token?.keyID == "OLD" })
            slices += actions.offers.map(\.slice)
            drains += actions.drains
            connects += actions.connects
        }
        #expect(drains == [old])
        // The one that is given up does not stand in its successor's way.
        let new = try #require(connects.first ?? rig.pass(.milliseconds(100)).connects.first)
        #expect(rig.ready(new).offers.map(\.slice.token?.keyID) == ["NEW"])
    }

    @Test("P-34 after a revocation all connections are given up, and unsent notifications use the new token")
    func revocation() throws {
        var rig = PoolRig { $0.maximumConnections = 2 }
        var ids = rig.send(100, key: "OLD").connects
        var slices: [(connection: Connection.ID, slice: BatchSlice)] = []
        for _ in 0..<2 {
            let actions = rig.ready(ids.removeLast())
            slices += actions.offers
            ids += actions.connects
        }
        #expect(slices.count == 4)

        let actions = rig.pool.renew(PoolRig.token("NEW"), at: rig.now)
        #expect(Set(actions.drains) == Set(slices.map(\.connection)))
        let new = try #require(actions.connects.first)
        // One slice of the old connections had left, the others come back.
        var after = rig.finish(slices[0].slice)
        for (_, slice) in slices.dropFirst() { after += rig.finish(slice, .notSent(.connectionLost)) }
        #expect(after.finished.isEmpty)
        var offered = rig.ready(new).offers.map(\.slice)
        var sent = 10
        var finished: [[Outcome]] = []
        while let slice = offered.popLast() {
            #expect(slice.token?.keyID == "NEW")
            sent += slice.count
            let actions = rig.finish(slice)
            finished += actions.finished
            offered += actions.offers.map(\.slice)
        }
        #expect(sent == 100 && finished == [Array(repeating: PoolRig.accepted, count: 100)])
    }

    @Test("P-33 a connection with too many token updates is replaced after a growing delay, and the token stays")
    func tooManyTokenUpdates() throws {
        var rig = PoolRig { $0.firstBackoff = .seconds(1) }
        let worn = ConnectionClosure(.wornOut, reason: .tooManyProviderTokenUpdates)
        let refused = Outcome.rejected(Rejection(.tooManyProviderTokenUpdates, status: 429))
        var id = try #require(rig.send(10, key: "K").connects.first)
        for wait in [1000, 2000, 4000] {
            let slice = try #require(rig.ready(id).offers.first?.slice)
            #expect(slice.token == PoolRig.token("K"))
            _ = rig.pool.connectionDrains(id, worn, at: rig.now, jitter: 1)
            #expect(rig.finish(slice, refused).finished == [Array(repeating: refused, count: 10)])
            _ = rig.close(id, worn)
            _ = rig.send(10, key: "K")
            #expect(rig.pass(.milliseconds(Int64(wait) - 1)).connects.isEmpty)
            id = try #require(rig.pass(.milliseconds(1)).connects.first)
        }
        #expect(rig.pool.tally.rejected[.tooManyProviderTokenUpdates] == 30)
    }

    @Test("P-33 a GOAWAY after answers replaces the connection without delay")
    func shutdownAnswer() throws {
        var rig = PoolRig()
        let first = try #require(rig.send(10).connects.first)
        let slice = try #require(rig.ready(first).offers.first?.slice)
        _ = rig.pool.connectionDrains(first, ConnectionClosure(.wornOut, reason: .shutdown), at: rig.now, jitter: 1)
        let actions = rig.finish(slice, .notSent(.connectionLost))
        #expect(actions.connects.count == 1)
    }
}
