import ApplePush
import CarillonBytes

/// Writes the two frames of a request, HEADERS and DATA, directly into memory.
///
/// It is valid only as long as its pointers, for one run of requests of the same batch.
struct RequestWriter {
    /// The two digits of each byte, in memory order.
    static let hexPairs: [UInt16] = (0...255).map { (byte: Int) in
        let high = UInt16(Hexadecimal.digits[byte >> 4])
        let low = UInt16(Hexadecimal.digits[byte & 15])
        return UInt16(littleEndian: low << 8 | high)
    }

    let tokens: ByteColumn.UnsafeView
    let slots: UnsafeRawBufferPointer
    let ids: UnsafeRawBufferPointer
    let payload: UnsafeRawBufferPointer
    let payloadSlot: Range<Int>?
    /// Payloads of single notifications; else empty.
    let payloads: ByteColumn.UnsafeView
    let beforePath: UnsafeRawBufferPointer
    let afterPath: UnsafeRawBufferPointer
    let hexPairs: UnsafeBufferPointer<UInt16>
    let devicePath: UnsafeRawBufferPointer

    /// Maximum size of a request without its token's digits.
    var fixedSize: Int {
        2 * Frame.headerLength + beforePath.count + 3 + devicePath.count + afterPath.count + 36
            + payload.count
    }

    /// Writes both frames; returns their length.
    ///
    /// The buffer must have room for ``fixedSize`` and two digits per byte of the token.
    @inline(__always)
    func write(_ index: Int, stream: UInt32, to target: UnsafeMutableRawPointer) -> Int {
        var offset = writeHeaders(index, stream: stream, to: target)
        let body = body(index)
        writeFrameHeader(
            target + offset,
            length: body.count,
            kind: Frame.Kind.data,
            flags: Frame.Flag.endStream,
            stream: stream
        )
        offset += Frame.headerLength
        copyPayload(body, index, to: target + offset)
        return offset + body.count
    }

    /// Writes the HEADERS frame only.
    @inline(__always)
    func writeHeaders(_ index: Int, stream: UInt32, to target: UnsafeMutableRawPointer) -> Int {
        var offset = Frame.headerLength
        copy(beforePath, to: target, &offset)
        writePath(tokens.range(of: index), to: target, &offset)
        copy(afterPath, to: target, &offset)
        writeID(index, to: target + offset)
        offset += 36
        writeFrameHeader(
            target,
            length: offset - Frame.headerLength,
            kind: Frame.Kind.headers,
            flags: Frame.Flag.endHeaders,
            stream: stream
        )
        return offset
    }

    /// The payload of the notification at `index`: the common one, or its own.
    @inline(__always)
    private func body(_ index: Int) -> UnsafeRawBufferPointer {
        guard !payloads.isEmpty else { return payload }
        return UnsafeRawBufferPointer(rebasing: payloads.bytes[payloads.range(of: index)])
    }

    /// Writes the payload with its slot filled in.
    @inline(__always)
    private func copyPayload(_ body: UnsafeRawBufferPointer, _ index: Int, to target: UnsafeMutableRawPointer) {
        var offset = 0
        copy(body, to: target, &offset)
        guard let payloadSlot else { return }
        let start = index * payloadSlot.count
        offset = payloadSlot.lowerBound
        copy(UnsafeRawBufferPointer(rebasing: slots[start..<start + payloadSlot.count]), to: target, &offset)
    }

    // MARK: - Private

    @inline(__always)
    private func copy(_ source: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer, _ offset: inout Int) {
        guard let base = source.baseAddress else { return }
        (target + offset).copyMemory(from: base, byteCount: source.count)
        offset += source.count
    }

    /// Writes the length of the path's value (RFC 7541 §5.1, a prefix of seven bits), and the value.
    @inline(__always)
    private func writePath(_ token: Range<Int>, to target: UnsafeMutableRawPointer, _ offset: inout Int) {
        var length = devicePath.count + token.count * 2
        if length < 127 {
            target.storeBytes(of: UInt8(truncatingIfNeeded: length), toByteOffset: offset, as: UInt8.self)
            offset += 1
        } else {
            target.storeBytes(of: 127, toByteOffset: offset, as: UInt8.self)
            length -= 127
            target.storeBytes(
                of: UInt8(length & 127) | (length > 127 ? 128 : 0),
                toByteOffset: offset + 1,
                as: UInt8.self
            )
            offset += 2
            if length > 127 {
                target.storeBytes(of: UInt8(length >> 7), toByteOffset: offset, as: UInt8.self)
                offset += 1
            }
        }
        copy(devicePath, to: target, &offset)
        for position in token {
            target.storeBytes(of: hexPairs[Int(tokens.bytes[position])], toByteOffset: offset, as: UInt16.self)
            offset += 2
        }
    }

    /// Writes a UUID in lower case.
    @inline(__always)
    private func writeID(_ index: Int, to target: UnsafeMutableRawPointer) {
        var offset = 0
        for position in 0..<16 {
            if position == 4 || position == 6 || position == 8 || position == 10 {
                target.storeBytes(of: UInt8(ascii: "-"), toByteOffset: offset, as: UInt8.self)
                offset += 1
            }
            target.storeBytes(of: hexPairs[Int(ids[index * 16 + position])], toByteOffset: offset, as: UInt16.self)
            offset += 2
        }
    }

    @inline(__always)
    private func writeFrameHeader(
        _ target: UnsafeMutableRawPointer,
        length: Int,
        kind: UInt8,
        flags: UInt8,
        stream: UInt32
    ) {
        let lengthAndKind = UInt32(truncatingIfNeeded: length) << 8 | UInt32(kind)
        target.storeBytes(of: lengthAndKind.bigEndian, as: UInt32.self)
        target.storeBytes(of: flags, toByteOffset: 4, as: UInt8.self)
        target.storeBytes(of: stream.bigEndian, toByteOffset: 5, as: UInt32.self)
    }
}

extension PushBatch {
    /// Calls a closure with a writer for a run of this batch's requests.
    func withRequestWriter(_ encoder: HeaderBlockEncoder, _ body: (RequestWriter) -> Void) {
        payloads.withUnsafeView { payloads in
            tokens.withUnsafeView { tokens in
                slots.withUnsafeBytes { slots in
                    ids.withUnsafeBytes { ids in
                        payload.bytes.withUnsafeBytes { payloadBytes in
                            encoder.withPieces { beforePath, devicePath, afterPath in
                                RequestWriter.hexPairs.withUnsafeBufferPointer { hexPairs in
                                    body(
                                        RequestWriter(
                                            tokens: tokens,
                                            slots: slots,
                                            ids: ids,
                                            payload: payloadBytes,
                                            payloadSlot: payload.slot,
                                            payloads: payloads,
                                            beforePath: beforePath,
                                            afterPath: afterPath,
                                            hexPairs: hexPairs,
                                            devicePath: devicePath
                                        )
                                    )
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
