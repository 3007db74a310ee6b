import NIOCore
import NIOHPACK

@testable import ApplePush
@testable import ApplePushConnection

/// What a connection ought to know and to have decided after the bytes that it was given: the rules once more, written
/// for clearness and frame by frame, so that the state machine is never judged by itself.
struct ModelView {
    struct Stream {
        /// What it carries; `nil` when the outcome was told already.
        var note: Int?
        var window: Int
        var sent = 0
        var isWhole = false
        var status = 0
        var uniqueID: String?
        var body: [UInt8] = []
        var received = 0
    }

    let configuration: HTTP2ClientStateMachine.Configuration
    var notes: [ModelNote] = []
    var slices: [ModelSlice] = []
    var open: [UInt32: Stream] = [:]
    var nextID: UInt32

    // What the server has said.
    var hasSettings = false
    var hasAnswer = false
    var maximumStreams: Int?
    var initialWindow = 65_535
    var maximumFrame = 16_384
    /// The smallest table size set since the last header block of ours, and the one in use.
    var smallestTable: Int?
    var table = 4096
    var hasSmallHeaderList = false
    var window = 65_535
    var receiveWindow = 65_535
    var consumed = 0

    // What the connection owes.
    var settingsToAcknowledge = 0
    var pingsToEcho: [[UInt8]] = []
    var mustReset: [UInt32: UInt32] = [:]
    /// The streams that nobody waits for: the connection may reset them when it likes.
    var forgotten: Set<UInt32> = []
    /// The rule that was broken, by its code: the connection must be closed with it.
    var fatal: UInt32?
    var isDraining = false
    var isClosed = false

    /// Frames since the last tick; a flood may end the connection.
    var frames = 0
    var unread: [UInt8] = []
    var block: (stream: UInt32, endsStream: Bool, bytes: [UInt8], frames: Int)?
    var decoder: HPACKDecoder

    init(_ configuration: HTTP2ClientStateMachine.Configuration) {
        self.configuration = configuration
        nextID = configuration.firstStreamID
        decoder = HPACKDecoder(allocator: ByteBufferAllocator())
        decoder.maxHeaderListSize = 16_384
    }

    var streamLimit: Int {
        let allowed = min(maximumStreams ?? configuration.maximumStreams, configuration.maximumStreams)
        let isProven = configuration.startsWithOneStream ? hasAnswer : hasSettings
        return isProven ? allowed : min(allowed, 1)
    }

    func isIdle(_ id: UInt32) -> Bool { id.isMultiple(of: 2) || id >= nextID }

    // MARK: Ends

    mutating func finish(_ id: UInt32, _ outcome: Outcome) {
        guard let stream = open.removeValue(forKey: id) else { return }
        guard let note = stream.note else {
            if !isClosed { forgotten.remove(id) }
            return
        }
        notes[note].stream = nil
        notes[note].expected = outcome
    }

    /// The outcome of a stream that ends without an answer.
    func lost(_ stream: Stream, _ failure: Failure, unsent: Failure? = nil) -> Outcome {
        stream.isWhole || stream.status != 0 ? .unknown(failure) : .notSent(unsent ?? failure)
    }

    mutating func abandon(_ slice: Int, _ failure: Failure) {
        guard !slices[slice].isAbandoned, !slices[slice].isFinished else { return }
        slices[slice].isAbandoned = true
        for (id, stream) in open {
            guard let note = stream.note, notes[note].slice == slice else { continue }
            notes[note].expected = lost(stream, failure)
            notes[note].stream = nil
            open[id]?.note = nil
            forgotten.insert(id)
        }
    }

    mutating func close() {
        isClosed = true
        for (id, stream) in open { finish(id, lost(stream, .connectionLost)) }
    }

    /// Ends a stream that the server has broken.
    mutating func reset(_ id: UInt32, _ code: UInt32) {
        guard let stream = open[id] else { return }
        mustReset[id] = code
        finish(id, lost(stream, .malformedAnswer, unsent: .reset))
    }

    mutating func complete(_ id: UInt32) {
        guard let stream = open[id] else { return }
        if !stream.isWhole { mustReset[id] = 8 }
        let answer = answer(id)
        if case .rejected(let rejection) = answer, rejection.reason.wearsOutConnection { drain() }
    }

    /// Takes no more; where nobody waits for anything it ends at once, and what comes behind is not read.
    mutating func drain() {
        guard !isDraining else { return }
        isDraining = true
        if open.values.allSatisfy({ $0.note == nil }) { close() }
    }

    @discardableResult
    mutating func answer(_ id: UInt32) -> Answer? {
        guard let stream = open[id] else { return nil }
        let body = stream.body.prefix(Answer.bodyLimit + 1)
        let answer = Answer(status: stream.status, body: body, uniqueID: stream.uniqueID)
        finish(id, Outcome(answer))
        return answer
    }
}
