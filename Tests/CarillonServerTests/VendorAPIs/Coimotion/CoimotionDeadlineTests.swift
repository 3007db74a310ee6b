import CarillonEngine
import HTTPTypes
import Hummingbird
import NIOConcurrencyHelpers
import NIOCore
import Testing

@testable import CarillonServer

/// The time in which a form with files must be there.
struct CoimotionDeadlineTests {
    /// A clock whose sleeps last until they are told to end, or until their task ends.
    private final class HeldTimer: DispatchClock {
        let start = ContinuousClock.now
        let asked = NIOLockedValueBox<[Duration]>([])
        let (end, ending) = AsyncStream.makeStream(of: Void.self)

        func now() -> ContinuousClock.Instant { start }

        func sleep(until deadline: ContinuousClock.Instant) async {
            asked.withLockedValue { $0.append(deadline - start) }
            for await _ in end {}
        }
    }

    private func request(_ body: RequestBody) -> Request {
        var fields = HTTPFields()
        fields[.contentType] = "multipart/form-data; boundary=b1"
        let head = HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/", headerFields: fields)
        return Request(head: head, body: body)
    }

    @Test("A form that does not end within 30 seconds is answered with 408 in the vendor's form")
    func slowForm() async throws {
        let timer = HeldTimer()
        let (parts, sending) = AsyncStream.makeStream(of: ByteBuffer.self)
        sending.yield(ByteBuffer(string: "--b1"))
        let slow = request(RequestBody(asyncSequence: parts))
        timer.ending.finish()

        let failure = await #expect(throws: CoimotionFailure.self) {
            try await CoimotionDeadline(timer: timer).run { try await CoimotionForm.read(slow) }
        }

        #expect(failure?.status == 408 && failure?.code == -1 && failure?.retryAfter != nil)
        #expect(timer.asked.withLockedValue { $0 } == [.seconds(30)])
        sending.finish()
    }

    @Test("A form that is there in time is read, and nothing waits for the deadline") func form() async throws {
        let text = "--b1\r\nContent-Disposition: form-data; name=\"nType\"\r\n\r\n3\r\n--b1--\r\n"
        let quick = request(RequestBody(buffer: ByteBuffer(string: text)))
        let form = try await CoimotionDeadline(timer: HeldTimer()).run { try await CoimotionForm.read(quick) }
        #expect(try form.parameters.text("nType") == "3")
    }
}
