import Carillon
import CarillonModel
import Foundation

extension TestKitServer {
    /// Counts the events of pushes that it has sent, each once.
    func report(_ body: TestKitBody) throws -> TransportAnswer {
        let batch = try body.decoded(LenientBatch.self)
        guard (1...EventBatch.maximumCount).contains(batch.events.count) else {
            throw Problem.invalidField("events", "must list 1 through \(EventBatch.maximumCount) events")
        }
        return .json(
            with { state in
                var answer = EventBatchAnswer(counted: 0, repeated: 0, rejected: [])
                for (index, event) in batch.events.enumerated() {
                    do throws(FieldError) {
                        if try state.count(event.result.get()) { answer.counted += 1 } else { answer.repeated += 1 }
                    } catch {
                        answer.rejected.append(.init(index: index, problem: error.problem))
                    }
                }
                return answer
            }
        )
    }
}

extension TestKitServer.State {
    /// Counts an event.
    ///
    /// - Returns: False when it was counted before.
    fileprivate mutating func count(_ event: Event) throws(FieldError) -> Bool {
        func fail(_ problem: String) -> FieldError { FieldError(field: "", problem: problem) }
        if event.kind == .action {
            guard Self.isText(event.action, 64) else { throw fail("action must have 1 through 64 characters") }
            guard event.reply == nil || Self.isText(event.reply, 1_000) else {
                throw fail("reply must have 1 through 1000 characters")
            }
        }
        let (latitude, longitude) = (event.latitude ?? 0, event.longitude ?? 0)
        guard (event.latitude == nil) == (event.longitude == nil), abs(latitude) <= 90, abs(longitude) <= 180 else {
            throw fail("latitude and longitude must be -90 through 90 and -180 through 180")
        }
        guard receipts[event.occurrence] == event.receipt else { throw fail("receipt does not prove this push") }
        let isKnown = events.contains {
            $0.occurrence == event.occurrence && $0.kind == event.kind && $0.action == event.action
        }
        if !isKnown { events.append(event) }
        return !isKnown
    }

    private static func isText(_ text: String?, _ limit: Int) -> Bool { (1...limit).contains(text?.count ?? 0) }
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
            let error = FieldError(error)
            let field = error.field.split(separator: ".").dropFirst(depth).joined(separator: ".")
            let problem =
                error.problem.hasPrefix("Cannot initialize")
                ? "must be one of the documented values" : error.problem
            result = .failure(FieldError(field: field, problem: field.isEmpty ? problem : field + " " + problem))
        }
    }
}
