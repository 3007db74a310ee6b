import ApplePush
import ApplePushConnection
import CarillonBytes
import Foundation
import NIOCore
import Testing

struct RequestTests {
    @Test("P-15 P-16 a request has each header once, in lower case, with our id and the topic")
    func headers() throws {
        let headers = RequestHeaders(
            topic: Sample.topic,
            pushType: .background,
            priority: .considerate,
            expiration: .nowOrNever,
            collapseID: CollapseID(rawValue: "score")
        )
        let batch = Sample.batch(1, headers: headers)
        var peer = Peer()
        peer.offer(1, slice: 1, batch: batch)

        let request = try #require(peer.requests.first)
        #expect(
            request.headers == [
                ":method: POST", ":scheme: https", ":authority: api.push.apple.com",
                ":path: /3/device/" + (APNsDeviceToken(bytes: Sample.tokenBytes(0))?.hex ?? ""),
                "authorization: bearer " + Sample.token.rawValue, "apns-topic: com.example.app",
                "apns-push-type: background", "apns-priority: 5", "apns-expiration: 0", "apns-collapse-id: score",
                "apns-id: " + batch.ids[0].uuidString.lowercased(),
            ]
        )
        #expect(request.stream == 1 && request.isEnded)
    }

    @Test("P-17 a header that is absent is not sent")
    func absentHeaders() {
        var peer = Peer()
        peer.offer(1, slice: 1)
        #expect(peer.requests[0]["apns-expiration"] == nil && peer.requests[0]["apns-priority"] == nil)
    }

    @Test("P-22 each notification has the shared payload with its own slot, its own path and its own id")
    func slots() {
        var peer = Peer.warm()
        let batch = Sample.batch(50)
        peer.offer(50, slice: 1, batch: batch)

        #expect(peer.requests.count == 50)
        for (index, request) in peer.requests.enumerated() {
            var body = batch.payload.bytes
            body.replaceSubrange(10..<34, with: Sample.slotBytes(index))
            #expect(request.body == body)
            #expect(request[":path"] == "/3/device/" + (APNsDeviceToken(bytes: Sample.tokenBytes(index))?.hex ?? ""))
            #expect(request["apns-id"] == batch.ids[index].uuidString.lowercased())
        }
    }

    @Test("P-22 device tokens of any length give a path", arguments: [1, 8, 31, 32, 58, 59, 80, 122, 123, 200, 256])
    func tokenLengths(length: Int) {
        var peer = Peer.warm()
        peer.offer(3, slice: 1, batch: Sample.batch(3, tokenLength: length))
        let expected = (0..<3).map { "/3/device/" + (APNsDeviceToken(bytes: Sample.tokenBytes($0, length))?.hex ?? "") }
        #expect(peer.requests.map { $0[":path"] ?? "" } == expected)
    }

    @Test("P-23 only the first request carries the shared headers; later ones cost few bytes")
    func headerBytes() {
        var peer = Peer()
        peer.send(settings: [(3, 100)])
        peer.offer(20, slice: 1)
        let first = peer.requests[0].headerBytes
        peer.answer(1)

        #expect(first > 350)
        // Path and id are 110 characters; the rest of the block is 13 bytes.
        #expect(peer.requests.count == 19 && peer.requests.allSatisfy { $0.headerBytes == 74 + 36 + 11 })
        #expect(peer.requests.allSatisfy { $0["authorization"] == "bearer " + Sample.token.rawValue })
    }

    @Test("P-30 the provider token may change between slices, and changes back cheaply")
    func tokenChange() {
        var peer = Peer.warm()
        let other = ProviderToken(rawValue: "another.token", keyID: "K", issuedAt: .distantPast)
        let batch = Sample.batch(2)
        for (slice, token) in [(1, other), (2, Sample.token), (3, other), (4, nil)] {
            let slice = BatchSlice(
                id: .init(rawValue: slice),
                batch: batch,
                members: .run(0..<2),
                token: token,
                deadline: .distantFuture
            )
            peer.machine.offer(slice)
        }
        peer.exchange()

        let expected = [other, other, Sample.token, Sample.token, other, other].map { "bearer " + $0.rawValue }
        #expect(peer.requests.map { $0["authorization"] } == expected + [nil, nil])
        #expect(peer.requests[2...].allSatisfy { $0.headerBytes < 130 })
    }

    @Test("Many alternating header sets stay decodable while the table evicts")
    func eviction() {
        var peer = Peer.warm()
        for round in 0..<200 {
            let headers = RequestHeaders(
                topic: Sample.topic,
                pushType: .alert,
                expiration: Expiration(seconds: Int64(round)),
                collapseID: CollapseID(rawValue: String(repeating: "c", count: 1 + round % 60))
            )
            peer.offer(2, slice: 10 + round, batch: Sample.batch(2, headers: headers))
            #expect(peer.requests.map { $0["apns-expiration"] } == [String(round), String(round)])
            peer.answerAll()
        }
        #expect(peer.closure == nil)
    }

    @Test("A prepared header set that is never sent does not change the table")
    func unsentBlock() {
        var peer = Peer.warm(streams: 1)
        peer.offer(1, slice: 1)
        let second = RequestHeaders(topic: Sample.topic, pushType: .voip)
        peer.offer(1, slice: 2, batch: Sample.batch(1, headers: second))
        peer.machine.cancel(.init(rawValue: 2))
        let third = RequestHeaders(topic: Sample.topic, pushType: .liveActivity)
        peer.offer(1, slice: 3, batch: Sample.batch(1, headers: third))
        peer.answerAll()

        #expect(peer.outcomes(2) == [.notSent(.cancelled)])
        #expect(peer.outcomes(3) == [.accepted(uniqueID: nil)])
    }

    @Test("A smaller header table is announced before it is used", arguments: [0, 60, 100, 200, 1000])
    func smallerTable(size: Int) {
        var peer = Peer.warm()
        peer.limitDecoderTable(to: size)
        peer.send(settings: [(1, UInt32(size))])
        peer.offer(5, slice: 1)
        peer.answerAll()
        peer.send(settings: [(1, 0)])
        peer.send(settings: [(1, 4096)])
        peer.limitDecoderTable(to: 4096)
        peer.offer(5, slice: 2)
        peer.answerAll()
        peer.send(settings: [(1, 65_536)])
        peer.offer(5, slice: 3)
        peer.answerAll()

        for slice in 1...3 { #expect(peer.outcomes(slice)?.count == 5) }
        #expect(peer.closure == nil)
    }

    @Test("Headers above APNs' limit are not sent")
    func headerListLimit() {
        var peer = Peer.warm()
        peer.send(settings: [(6, 300)])
        peer.offer(3, slice: 1)
        #expect(peer.outcomes(1) == Array(repeating: .notSent(.headersTooLarge), count: 3))
        peer.send(settings: [(6, 8000)])
        peer.offer(3, slice: 2)
        #expect(peer.requests.count == 3)
    }

    @Test("Inconsistent columns are refused")
    func badColumns() throws {
        let payload = try EncodedPayload(bytes: Array("0123456789".utf8), slot: 2..<4, limit: 100)
        func problem(_ lengths: [Int], _ slots: String, _ ids: Int) -> PushBatch.Problem? {
            do throws(PushBatch.Problem) {
                _ = try PushBatch(
                    headers: Sample.headers,
                    payload: payload,
                    tokens: ByteColumn(lengths.map { Array(repeating: 1, count: $0) }),
                    slots: Array(slots.utf8),
                    ids: (0..<ids).map { _ in UUID() }
                )
                return nil
            } catch {
                return error
            }
        }
        #expect(problem([2, 2], "abcd", 2) == nil)
        #expect(problem([], "", 0) == nil)
        #expect(problem([2, 2], "abc", 2) == .unequalColumns)
        #expect(problem([2, 2], "abcd", 3) == .unequalColumns)
        #expect(problem([2, 2, 1], "abcd", 2) == .unequalColumns)
        #expect(problem([4, 0], "abcd", 2) == .badToken(index: 1))
        #expect(problem([0, 4], "abcd", 2) == .badToken(index: 0))
        #expect(problem([2, 258], "abcd", 2) == .badToken(index: 1))
        #expect(problem([2, 2], "ab\"d", 2) == .badSlotBytes(index: 1))
    }
}
