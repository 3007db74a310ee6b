import ApplePush
import NIOCore
import NIOHPACK

@testable import ApplePushConnection

extension ModelView {
    /// The rule that a frame breaks, by its code.
    struct Broken: Error {
        let code: UInt32

        init(_ code: UInt32) { self.code = code }
    }

    /// Takes bytes in the moment when the connection gets them.
    mutating func deliver(_ bytes: [UInt8]) {
        guard !isClosed else { return }
        unread += bytes
        var offset = 0
        do throws(Broken) {
            while !isClosed, unread.count - offset >= 9 {
                let length = Int(number(offset) >> 8)
                guard length <= 16_384 else { throw Broken(6) }
                guard unread.count - offset - 9 >= length else { break }
                let payload = Array(unread[offset + 9..<offset + 9 + length])
                frames += 1
                try read(unread[offset + 3], unread[offset + 4], number(offset + 5) & 0x7FFF_FFFF, payload)
                offset += 9 + length
            }
        } catch {
            fatal = error.code
            close()
        }
        unread.removeFirst(offset)
    }

    private func number(_ offset: Int) -> UInt32 {
        unread[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    private mutating func read(_ kind: UInt8, _ flags: UInt8, _ id: UInt32, _ payload: [UInt8]) throws(Broken) {
        guard hasSettings || (kind == 4 && flags & 1 == 0) else { throw Broken(1) }
        if let block, kind != 9 || id != block.stream { throw Broken(1) }
        switch kind {
        case 0: try readData(flags, id, payload)
        case 1: try readHeaders(flags, id, payload)
        case 2:
            guard id != 0 else { throw Broken(1) }
            if payload.count != 5 { reset(id, 6) }
        case 3: try readReset(id, payload)
        case 4: try readSettings(flags, id, payload)
        case 5: throw Broken(1)
        case 6:
            guard id == 0 else { throw Broken(1) }
            guard payload.count == 8 else { throw Broken(6) }
            if flags & 1 == 0 { pingsToEcho.append(payload) }
        case 7: try readGoAway(id, payload)
        case 8: try readWindowUpdate(id, payload)
        case 9: try readContinuation(flags, payload)
        default: break
        }
    }

    private static func unpadded(_ flags: UInt8, _ payload: [UInt8]) throws(Broken) -> [UInt8] {
        guard flags & 8 != 0 else { return payload }
        guard let padding = payload.first else { throw Broken(6) }
        guard Int(padding) < payload.count else { throw Broken(1) }
        return Array(payload.dropFirst().dropLast(Int(padding)))
    }

    private mutating func readData(_ flags: UInt8, _ id: UInt32, _ payload: [UInt8]) throws(Broken) {
        guard id != 0 else { throw Broken(1) }
        receiveWindow -= payload.count
        guard receiveWindow >= 0 else { throw Broken(3) }
        consumed += payload.count
        if consumed >= 32_768 {
            receiveWindow += consumed
            consumed = 0
        }
        let data = try Self.unpadded(flags, payload)
        guard let stream = open[id] else {
            guard !isIdle(id) else { throw Broken(1) }
            return
        }
        guard stream.status != 0 else { return reset(id, 1) }
        open[id]?.received += payload.count
        guard stream.received + payload.count <= 65_535 else { return reset(id, 3) }
        open[id]?.body += data
        if flags & 1 != 0 { complete(id) }
    }

    private mutating func readReset(_ id: UInt32, _ payload: [UInt8]) throws(Broken) {
        guard id != 0 else { throw Broken(1) }
        guard payload.count == 4 else { throw Broken(6) }
        guard !isIdle(id) else { throw Broken(1) }
        guard let stream = open[id] else { return }
        if stream.status != 0 {
            answer(id)
            return
        }
        guard payload == [0, 0, 0, 7] else { return finish(id, lost(stream, .reset)) }
        if let note = stream.note, !isDraining {
            notes[note].refusals += 1
            if notes[note].refusals <= 3 {
                notes[note].stream = nil
                open[id] = nil
                return
            }
        }
        finish(id, .notSent(.refused))
    }

    private mutating func readGoAway(_ id: UInt32, _ payload: [UInt8]) throws(Broken) {
        guard id == 0 else { throw Broken(1) }
        guard payload.count >= 8 else { throw Broken(6) }
        drain()
        let last = payload.prefix(4).reduce(0) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        for (id, stream) in open where id > last {
            finish(id, stream.status == 0 ? .notSent(.goAway) : .unknown(.goAway))
        }
    }

    private mutating func readWindowUpdate(_ id: UInt32, _ payload: [UInt8]) throws(Broken) {
        guard payload.count == 4 else { throw Broken(6) }
        let increment = Int(payload.reduce(0) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF)
        if id == 0 {
            guard increment > 0 else { throw Broken(1) }
            window += increment
            guard window <= 0x7FFF_FFFF else { throw Broken(3) }
            return
        }
        guard !isIdle(id) else { throw Broken(1) }
        guard let stream = open[id] else { return }
        if increment == 0 { return reset(id, 1) }
        open[id]?.window += increment
        if stream.window + increment > 0x7FFF_FFFF { reset(id, 3) }
    }

    private mutating func readSettings(_ flags: UInt8, _ id: UInt32, _ payload: [UInt8]) throws(Broken) {
        guard id == 0 else { throw Broken(1) }
        if flags & 1 != 0 {
            guard payload.isEmpty else { throw Broken(6) }
            return
        }
        guard payload.count.isMultiple(of: 6) else { throw Broken(6) }
        for start in stride(from: 0, to: payload.count, by: 6) {
            let value = Int(payload[start + 2..<start + 6].reduce(0) { $0 << 8 | UInt32($1) })
            switch Int(payload[start]) << 8 | Int(payload[start + 1]) {
            case 1: smallestTable = min(smallestTable ?? 4096, value, 4096)
            case 2: guard value == 0 else { throw Broken(1) }
            case 3: maximumStreams = value
            case 4:
                guard value <= 0x7FFF_FFFF else { throw Broken(3) }
                for (id, stream) in open { open[id]?.window = stream.window + value - initialWindow }
                initialWindow = value
            case 5:
                guard (16_384...16_777_215).contains(value) else { throw Broken(1) }
                maximumFrame = value
            case 6: hasSmallHeaderList = hasSmallHeaderList || value < 2000
            default: break
            }
        }
        guard open.values.allSatisfy({ $0.window <= 0x7FFF_FFFF }) else { throw Broken(3) }
        hasSettings = true
        settingsToAcknowledge += 1
    }
}
