import CarillonModel
import CarillonOperatorModel
import Foundation
import Hummingbird
import NIOCore
import ServiceLifecycle

/// Writes a Campaign's progress as server-sent events.
///
/// Each event `progress` contains the whole state, so that a slow reader may miss some. A comment keeps proxies from
/// closing an idle stream.
struct ProgressStream<Steps: AsyncSequence & Sendable>: Sendable where Steps.Element == CampaignProgress {
    let steps: Steps
    /// Maximum time between writes.
    let heartbeat: Duration

    /// Writes until the Campaign ends, the client disconnects or the server shuts down.
    func write(to writer: inout any ResponseBodyWriter) async throws {
        let (frames, continuation) = AsyncStream.makeStream(of: ByteBuffer.self, bufferingPolicy: .bufferingNewest(2))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await forward(to: continuation) }
            group.addTask {
                while !Task.isCancelled {
                    try await Task.sleep(for: heartbeat)
                    continuation.yield(ByteBuffer(string: ": \n\n"))
                }
            }
            for await frame in frames.cancelOnGracefulShutdown() { try await writer.write(frame) }
            group.cancelAll()
        }
    }

    private func forward(to continuation: AsyncStream<ByteBuffer>.Continuation) async throws {
        defer { continuation.finish() }
        let encoder = JSONEncoder.sorted()
        for try await step in steps {
            var frame = ByteBuffer(string: "event: progress\ndata: ")
            frame.writeBytes(try encoder.encode(step))
            frame.writeString("\n\n")
            continuation.yield(frame)
        }
    }
}
