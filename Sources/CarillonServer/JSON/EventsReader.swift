package import CarillonModel
import Foundation

/// The readable events of a batch, and the errors of the others.
package struct ReadEvents: Hashable, Sendable {
    package var events: [Event] = []
    /// The position of each of ``events`` in the batch.
    package var indexes: [Int] = []
    package var rejected: [EventBatchAnswer.Rejection] = []

    package init() {}

    /// Replaces positions in ``events`` with positions in the batch, and adds the errors of unreadable events.
    package func merge(into answer: inout EventBatchAnswer) {
        for index in answer.rejected.indices {
            let position = answer.rejected[index].index
            if indexes.indices.contains(position) { answer.rejected[index].index = indexes[position] }
        }
        answer.rejected = (answer.rejected + rejected).sorted { $0.index < $1.index }
    }
}

/// Reads the body of `POST /v1/events`: strict about the batch, lenient about its events.
///
/// An SDK reports an event once; one unreadable event must not lose the others.
package enum EventsReader {
    /// Reads a batch, on a fast path when it is ordinary.
    ///
    /// - Throws: ``Problem``: 400 when it is not JSON; 422 when it does not have 1 through 500 events.
    package static func read(_ bytes: [UInt8]) throws(Problem) -> ReadEvents {
        if let events = plain(bytes) { return events }
        return try strict(bytes)
    }

    /// Reads an ordinary batch of valid events; `nil` leaves it to ``strict(_:)``.
    package static func plain(_ bytes: [UInt8]) -> ReadEvents? {
        var json = PlainJSON(bytes)
        guard json.consume(UInt8(ascii: "{")), let name = json.name(), json.matches(name, "events"),
            json.consume(UInt8(ascii: "["))
        else { return nil }
        var read = ReadEvents()
        repeat {
            guard let event = PlainEvent.read(&json) else { return nil }
            read.indexes.append(read.events.count)
            read.events.append(event)
            guard let hasNext = json.hasNext(before: UInt8(ascii: "]")) else { return nil }
            if !hasNext { break }
        } while read.events.count < EventBatch.maximumCount
        guard json.consume(UInt8(ascii: "}")), json.isAtEnd() else { return nil }
        return read
    }

    /// Reads any batch.
    package static func strict(_ bytes: [UInt8]) throws(Problem) -> ReadEvents {
        let batch = try JSONBody.decode(LenientBatch.self, from: bytes)
        guard (1...EventBatch.maximumCount).contains(batch.events.count) else {
            throw .invalidField(
                FieldError(field: "events", problem: "must list 1 through \(EventBatch.maximumCount) events")
            )
        }
        var read = ReadEvents()
        for (index, event) in batch.events.enumerated() {
            switch event.result {
            case .success(let event):
                read.events.append(event)
                read.indexes.append(index)
            case .failure(let error):
                read.rejected.append(EventBatchAnswer.Rejection(index: index, problem: error.problem))
            }
        }
        return read
    }
}

/// A batch in which every event may fail on its own.
private struct LenientBatch: Decodable {
    var events: [LenientEvent]
}

private struct LenientEvent: Decodable {
    var result: Result<Event, FieldError>

    init(from decoder: any Decoder) throws {
        let depth = decoder.codingPath.count
        do {
            result = .success(try Event(from: decoder))
        } catch let error as DecodingError {
            let field = error.path.dropFirst(depth).joined(separator: ".")
            let problem = FieldError(withoutValue: error).problem
            result = .failure(FieldError(field: field, problem: field.isEmpty ? problem : field + " " + problem))
        }
    }
}

extension DecodingError {
    fileprivate var path: [String] {
        let path =
            switch self {
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
                context.codingPath
            case .keyNotFound(let key, let context): context.codingPath + [key]
            @unknown default: [any CodingKey]()
            }
        return path.map(\.stringValue)
    }
}

/// One event as SDKs write it.
private enum PlainEvent {
    static func read(_ json: inout PlainJSON) -> Event? {
        guard json.consume(UInt8(ascii: "{")) else { return nil }
        var (kind, at, action): (Event.Kind?, Timestamp?, String?)
        var (occurrence, receipt): (OccurrenceID?, Receipt?)
        repeat {
            guard let name = json.name() else { return nil }
            // A name that occurs twice is left to ``strict(_:)``, as is a reply, which may contain any text.
            if occurrence == nil, json.matches(name, "occurrence") {
                occurrence = json.text().flatMap { OccurrenceID(json.string($0)) }
                guard occurrence != nil else { return nil }
            } else if receipt == nil, json.matches(name, "receipt") {
                receipt = json.text().flatMap { Receipt(rawValue: json.string($0)) }
                guard receipt != nil else { return nil }
            } else if kind == nil, json.matches(name, "kind") {
                kind = json.text().flatMap { Event.Kind(rawValue: json.string($0)) }
                guard kind != nil else { return nil }
            } else if at == nil, json.matches(name, "at") {
                at = json.text().flatMap { Timestamp(utf8: json.bytes[$0.start..<$0.end]) }
                guard at != nil else { return nil }
            } else if action == nil, json.matches(name, "action") {
                guard let text = json.text(), (1...64).contains(text.count) else { return nil }
                action = json.string(text)
            } else {
                return nil
            }
            guard let hasNext = json.hasNext(before: UInt8(ascii: "}")) else { return nil }
            if !hasNext { break }
        } while true
        guard let kind, let at, let occurrence, let receipt else { return nil }
        var event = Event(kind, occurrence: occurrence, receipt: receipt, at: at)
        event.action = action
        return event
    }
}
