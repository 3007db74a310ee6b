import ApplePush
import ApplePushConnection
import CarillonBytes
import NIOCore
import NIOPosix

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Sends notifications as fast as the other side takes them, and prints one JSON line.
///
/// Arguments: PORT CA-FILE STREAMS NOTIFICATIONS KEY-FILE, and how many CONNECTIONS at most if not one. The scripts of
/// `script/bench` call it.
@main
struct SenderBenchmark {
    /// How many notifications a batch holds, and how many batches are on their way for each connection: enough that none
    /// waits for the other.
    static let batchSize = 2048
    static let batchesInFlight = 3

    static func main() async throws {
        let arguments = CommandLine.arguments
        guard (6...7).contains(arguments.count), let port = Int(arguments[1]), let streams = Int(arguments[3]),
            let total = Int(arguments[4]), let connections = Int(arguments.count == 7 ? arguments[6] : "1")
        else {
            print("usage: SenderBenchmark PORT CA-FILE STREAMS NOTIFICATIONS KEY-FILE [CONNECTIONS]")
            exit(2)
        }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        var configuration = ConnectionPool.Configuration()
        configuration.trustRoots = .file(arguments[2])
        configuration.maximumConnections = connections
        configuration.maximumStreams = streams
        let pool = try ConnectionPool(
            endpoint: Endpoint(host: "localhost", port: port),
            configuration: configuration,
            eventLoopGroup: group
        )
        let campaign = try Campaign(pem: String(contentsOfFile: arguments[5], encoding: .utf8))

        let start = NIODeadline.now()
        let accepted = try await send(total, of: campaign, through: pool, connections: connections)
        let seconds = Double((NIODeadline.now() - start).nanoseconds) / 1e9

        await pool.shutDown()
        try await group.shutdownGracefully()
        print(
            #"{"notifications":\#(total),"accepted":\#(accepted),"seconds":\#(seconds),"#
                + #""cpuSeconds":\#(Usage.cpuSeconds),"peakRssMiB":\#(Usage.peakMiB)}"#
        )
    }

    /// Keeps a few batches on their way until all have come back; gives the number accepted.
    static func send(
        _ total: Int,
        of campaign: Campaign,
        through pool: ConnectionPool,
        connections: Int
    ) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { tasks in
            var accepted = 0
            for (index, first) in stride(from: 0, to: total, by: batchSize).enumerated() {
                if index >= batchesInFlight * connections { accepted += try await tasks.next() ?? 0 }
                tasks.addTask {
                    let batch = try campaign.batch(first..<min(first + batchSize, total))
                    let deadline = NIODeadline.now() + .seconds(60)
                    let outcomes = await pool.send(batch, token: campaign.token, deadline: deadline)
                    return outcomes.count { if case .accepted = $0 { true } else { false } }
                }
            }
            for try await count in tasks { accepted += count }
            return accepted
        }
    }
}

/// What is sent: one message to as many device tokens as asked for, all different.
struct Campaign: Sendable {
    let token: ProviderToken
    private let headers: RequestHeaders
    private let payload: EncodedPayload

    /// The payload has 160 bytes, 24 of which differ from notification to notification; `pem` signs the provider token.
    init(pem: String) throws {
        let key = try SigningKey(pem: pem, keyID: "ABC123DEFG", teamID: "DEF123GHIJ")
        token = try ProviderToken(signedWith: key, at: Date())
        guard let topic = Topic(rawValue: "com.example.app") else { preconditionFailure("a topic") }
        headers = RequestHeaders(topic: topic, pushType: .alert, priority: .immediate, expiration: .nowOrNever)
        var message = Payload()
        message.alert = .init(title: "Sale!", body: "Half price until Sunday.")
        message.sound = .named("default")
        message.isMutableContent = true
        message.custom = [.init("c", .object([.init("o", "01JABCDEF"), .init("r", .slot(length: 24))]))]
        payload = try EncodedPayload(message, limit: APNsPushType.alert.payloadLimit)
        precondition(payload.bytes.count == 160, "the payload has \(payload.bytes.count) bytes")
    }

    /// The notifications with these numbers.
    func batch(_ numbers: Range<Int>) throws -> PushBatch {
        var tokens = ByteColumn()
        tokens.reserveCapacity(numbers.count, byteCount: numbers.count * 32)
        var slots: [UInt8] = []
        slots.reserveCapacity(numbers.count * 24)
        var ids: [UUID] = []
        ids.reserveCapacity(numbers.count)
        for number in numbers {
            var state = UInt64(number) &* 0x9E37_79B9_7F4A_7C15
            let words = (0..<4).map { _ in
                state = (state ^ (state >> 29)) &* 0xBF58_476D_1CE4_E5B9 &+ 1
                return state
            }
            words.withUnsafeBytes { tokens.append($0) }
            for shift in 0..<24 { slots.append(UInt8(ascii: "A") + UInt8(state >> (2 * UInt64(shift)) & 15)) }
            let id = (UInt64(number), state)
            ids.append(UUID(uuid: withUnsafeBytes(of: id) { $0.loadUnaligned(as: uuid_t.self) }))
        }
        return try PushBatch(
            headers: headers,
            payload: payload,
            tokens: tokens,
            slots: slots,
            ids: ids
        )
    }
}
