import ApplePush
import NIOCore

@testable import ApplePushConnection

/// One run of a connection against a model server; the bytes it is made of decide everything.
///
/// A run that finds the connection in the wrong says so and how; the same bytes find it again.
struct ModelRun {
    typealias Wrong = ModelReader.Wrong

    var choices: Choices
    var machine: HTTP2ClientStateMachine
    var view: ModelView
    var reader = ModelReader()
    var server = ModelServer()
    var now = NIODeadline.uptimeNanoseconds(1_000_000_000)
    var lastDelivery: NIODeadline
    /// What the server has said and the connection has not got yet.
    var pipe: [UInt8] = []
    var isWritable = true
    /// How bytes come: all at once, in small pieces, or held back.
    var pace = 0
    var drainings = 0
    var closure: ConnectionClosure?
    var hasDisconnected = false
    /// Whether the connection was closed because of a flood.
    var isGivenUp = false

    /// What went wrong in a run of these bytes; `nil` if nothing did.
    static func wrong(in bytes: some Sequence<UInt8>) -> String? {
        do throws(Wrong) {
            var run = ModelRun(bytes)
            try run.run()
            return nil
        } catch {
            return error.text
        }
    }

    init(_ bytes: some Sequence<UInt8>) {
        choices = Choices(bytes)
        var configuration = HTTP2ClientStateMachine.Configuration(authority: "api.push.apple.com")
        let kind = choices.byte()
        configuration.startsWithOneStream = kind & 1 == 0
        if kind & 6 == 6 { configuration.maximumRequests = 20 }
        if kind & 24 == 24 { configuration.firstStreamID = 0x7FFF_FFE1 }
        if kind & 96 == 96 { configuration.maximumStreams = 3 }
        machine = HTTP2ClientStateMachine(configuration)
        view = ModelView(configuration)
        lastDelivery = now
    }

    mutating func run() throws(Wrong) {
        if choices.isTrue(20) { try offer() }
        machine.connected(at: now)
        try exchange()
        if !choices.isTrue(10) { try deliver(server.greeting(&choices)) }
        while !choices.isEmpty, closure == nil { try step() }
        try end()
    }

    private mutating func step() throws(Wrong) {
        switch choices.below(16) {
        case 0, 1: try offer()
        case 2: try control()
        case 3: try tick(choices.pick([.milliseconds(1), .milliseconds(250), .seconds(1), .seconds(6), .hours(2)]))
        default:
            pipe += server.move(&choices, view)
            switch pace {
            case 0: try deliverAll()
            case 1: try deliver(upTo: choices.below(12))
            default: if pipe.count > 60_000 { try deliverAll() }
            }
        }
    }

    private mutating func control() throws(Wrong) {
        switch choices.below(12) {
        case 0...3:
            pace = choices.below(3)
            try deliverAll()
        case 4, 5:
            isWritable.toggle()
            try exchange()
        case 6...9:
            guard !view.slices.isEmpty else { return }
            let slice = choices.below(view.slices.count)
            if closure == nil { view.abandon(slice, .cancelled) }
            machine.cancel(BatchSlice.ID(rawValue: slice))
            try exchange(mustWrite: true)
        case 10:
            view.isDraining = true
            machine.drain(ConnectionClosure(.drained))
            try exchange()
        default: try disconnect()
        }
    }

    mutating func offer() throws(Wrong) {
        let first = view.notes.count
        let count = choices.isTrue(16) ? 150 : choices.below(17)
        guard first + count < 4000 else { return }
        let bodyLength = [1, 2, 40, 160, 160, 160, 4096, 20_000][choices.below(8)]
        let collapseID = choices.isTrue(60) ? "c\(choices.below(3))" : nil
        guard let batch = ModelBatch.make(first, count, bodyLength: bodyLength, collapseID: collapseID) else {
            throw Wrong("a batch that cannot be made")
        }
        let slice = view.slices.count
        view.notes += (first..<first + count).map {
            ModelNote(slice: slice, path: ModelBatch.path($0), body: ModelBatch.body($0, bodyLength))
        }
        let wait = choices.pick([.seconds(1), .seconds(20), .hours(1), .hours(3)] as [TimeAmount])
        view.slices.append(ModelSlice(notes: first..<first + count, deadline: now + wait))
        machine.offer(
            BatchSlice(
                id: BatchSlice.ID(rawValue: slice),
                batch: batch,
                members: choices.isTrue(60) ? .picks((0..<count).map { Int32($0) }) : .run(0..<count),
                token: choices.pick([ModelBatch.token, ModelBatch.token, ModelBatch.otherToken, nil]),
                deadline: now + wait
            )
        )
        try exchange()
    }

    mutating func tick(_ amount: TimeAmount) throws(Wrong) {
        now = now + amount
        if closure == nil, isConnected {
            for slice in view.slices.indices where view.slices[slice].deadline <= now {
                view.abandon(slice, .deadlinePassed)
            }
        }
        view.frames = 0
        machine.tick(now)
        try exchange(mustWrite: true)
        for slice in view.slices where slice.deadline <= now && !slice.isFinished {
            throw Wrong("a deadline passed unnoticed")
        }
    }

    private var isConnected: Bool {
        if case .idle = machine.phase { false } else { true }
    }

    mutating func disconnect() throws(Wrong) {
        hasDisconnected = true
        view.close()
        machine.disconnected()
        try exchange()
        guard closure != nil else { throw Wrong("no end after the network's") }
    }

    /// Brings whatever is left: the rest of the bytes, the deadlines, the end of the network.
    ///
    /// Then all must be over.
    private mutating func end() throws(Wrong) {
        isWritable = true
        try exchange()
        if choices.byte() & 1 == 0 { try deliverAll() }
        for _ in 0..<4 { try tick(.hours(1)) }
        if closure == nil { try disconnect() }
        guard view.slices.allSatisfy(\.isFinished) else { throw Wrong("a slice without an end") }
        guard drainings <= 1 else { throw Wrong("drained twice") }
        guard machine.streamCount == 0, machine.slices.isEmpty, machine.unread.readableBytes == 0 else {
            throw Wrong("something is left after the end")
        }
        try offer()
        machine.receive(ByteBuffer(bytes: ModelServer.frame(6, 0, 0, Array(repeating: 0, count: 8))), at: now)
        machine.cancel(BatchSlice.ID(rawValue: 0))
        machine.drain(ConnectionClosure(.drained))
        try tick(.hours(4))
        guard view.slices.allSatisfy(\.isFinished) else { throw Wrong("a slice taken after the end") }
    }
}
