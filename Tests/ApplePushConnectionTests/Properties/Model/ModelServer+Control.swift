@testable import ApplePushConnection

extension ModelServer {
    func reset(_ choices: inout Choices, _ view: ModelView) -> [UInt8] {
        let code = choices.pick([7, 7, 0, 1, 2, 5, 8, 11, 0xFFFF_FFFF] as [UInt32])
        let id = stream(&choices, view)
        let frame = Self.frame(3, 0, id, Self.bytes(code))
        // Apple has been seen to reset a refused stream twice.
        return choices.isTrue(60) ? frame + Self.frame(3, 0, id, Self.bytes(5)) : frame
    }

    func goAway(_ choices: inout Choices, _ view: ModelView) -> [UInt8] {
        let open = view.open.keys.sorted()
        let last = choices.pick([0, open.first ?? 0, open.last ?? 0, 0x7FFF_FFFF, stream(&choices, view)])
        let texts = ["", #"{"reason":"Shutdown"}"#, #"{"reason":"#, "\u{0}\u{ff}"]
        let text = Array(choices.pick(texts).utf8)
        let frame = Self.frame(7, 0, 0, Self.bytes(last) + Self.bytes(choices.pick([0, 0, 2, 11, 99])) + text)
        return choices.isTrue(100) ? frame + frame : frame
    }

    func settings(_ choices: inout Choices) -> [UInt8] {
        if choices.isTrue(20) { return Self.frame(4, 1, 0, []) }
        return Self.settings(
            (0..<choices.below(4)).map { _ in
                let values: [(UInt16, [UInt32])] = [
                    (3, [0, 1, 2, 10, 100, 1000, 0xFFFF_FFFF]), (4, [0, 1, 10, 100, 16_384, 65_535, 70_000]),
                    (1, [0, 31, 100, 500, 4096, 65_536]), (5, [16_384, 16_385, 16_777_215]),
                    (4, [0x7FFF_FFFF, 0x8000_0000, 0x7FFF_0000]), (6, [0, 100, 500, 8000]),
                    (2, [0, 0, 0, 1]), (5, [0, 16_383, 16_777_216]), (UInt16(choices.byte()), [7]),
                ]
                let (name, list) = choices.pick(Array(values.prefix(choices.isTrue(200) ? 3 : values.count)))
                return (name, choices.pick(list))
            }
        )
    }

    func windowUpdate(_ choices: inout Choices, _ view: ModelView) -> [UInt8] {
        let increments: [UInt32] = [1, 7, 100, 1000, 65_535, 1_000_000, 0x4000_0000]
        let wrong: [UInt32] = [0, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF]
        let increment = choices.pick(choices.isTrue(8) ? wrong : increments)
        return Self.frame(8, 0, choices.isTrue(128) ? 0 : stream(&choices, view), Self.bytes(increment))
    }

    /// What most servers never send.
    func odd(_ choices: inout Choices, _ view: ModelView) -> [UInt8] {
        switch choices.below(8) {
        case 0, 1: Self.frame(UInt8(16 + choices.below(200)), UInt8(choices.byte()), stream(&choices, view), [1, 2, 3])
        case 2, 3: Self.frame(2, 0, stream(&choices, view), [0, 0, 0, 0, 1])
        case 4: Self.frame(2, 0, stream(&choices, view), [0, 0])
        case 5: Self.frame(5, 4, stream(&choices, view), [0, 0, 0, 2, 0x88])
        case 6: [0, 0x40, 1, 0, 0, 0, 0, 0, 1]
        default: Self.frame(9, 4, stream(&choices, view), [0x88])
        }
    }

    func rawFrame(_ choices: inout Choices, _ view: ModelView) -> [UInt8] {
        let kind = UInt8(choices.below(12))
        let flags = UInt8(choices.byte()) & 0x2D
        let id = choices.isTrue(60) ? 0 : stream(&choices, view)
        return Self.frame(kind, flags, id, choices.take([0, 4, 5, 6, 8, 12, 3, 20][choices.below(8)]))
    }

    /// Mostly an open stream; else one that is closed, idle, the server's own, or none.
    func stream(_ choices: inout Choices, _ view: ModelView) -> UInt32 {
        let open = view.open.keys.sorted()
        let choice = choices.byte()
        if choice < 236, !open.isEmpty { return open[choice % open.count] }
        switch choice % 8 {
        case 0: return 0
        case 1: return 2
        case 2: return view.nextID
        case 3: return view.nextID &+ 2 &* UInt32(choices.byte())
        default: return view.nextID < 3 ? 1 : (view.nextID - 2) &- 2 &* (UInt32(choice) % (view.nextID / 2))
        }
    }

    // MARK: - Bytes

    static func frame(_ kind: UInt8, _ flags: UInt8, _ stream: UInt32, _ payload: [UInt8]) -> [UInt8] {
        bytes(UInt32(truncatingIfNeeded: payload.count) << 8 | UInt32(kind)) + [flags] + bytes(stream) + payload
    }

    static func settings(_ settings: [(UInt16, UInt32)]) -> [UInt8] {
        frame(4, 0, 0, settings.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] + bytes($1) })
    }

    static func bytes(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
    }
}

extension [UInt8] {
    func padded(to count: Int) -> [UInt8] {
        self + Array(repeating: 0, count: Swift.max(0, count - self.count))
    }
}
