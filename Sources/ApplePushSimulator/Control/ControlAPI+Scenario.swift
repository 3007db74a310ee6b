import HTTPTypes
import Hummingbird
import NIOCore

extension ControlAPI {
    func addScenario(to router: Router<Context>) {
        router.get("/scenario") { _, _ in
            guard let progress = handle.scenarioProgress() else {
                throw HTTPError(.notFound, message: "no scenario was begun")
            }
            return progress
        }
        router.post("/scenario") { request, context in
            let body = try await request.body.collect(upTo: Scenario.sizeLimit)
            do throws(FieldProblem) {
                let scenario = try Scenario(
                    json: Array(body.readableBytesView),
                    over: handle.listeners(),
                    canAddListeners: false
                )
                handle.begin(scenario)
            } catch {
                throw HTTPError(.badRequest, message: error.description)
            }
            return EditedResponse(status: .created, response: handle.scenarioProgress())
        }
        router.delete("/scenario") { _, _ in
            guard handle.endScenario() else { throw HTTPError(.notFound, message: "no scenario was begun") }
            return HTTPResponse.Status.noContent
        }
    }

    func addClock(to router: Router<Context>) {
        router.get("/clock") { _, _ in ClockAnswer(now: handle.now.milliseconds) }
        router.post("/clock/advance") { request, context in
            let span = try await request.readStrictly(context: context) { fields throws(FieldProblem) in
                let range = -31_536_000_000...31_536_000_000
                return try fields.required("milliseconds", try fields.milliseconds("milliseconds", range))
            }
            handle.advanceClock(by: span)
            return ClockAnswer(now: handle.now.milliseconds)
        }
    }
}

extension ScenarioProgress: ResponseEncodable {}

struct ClockAnswer: ResponseEncodable, Encodable {
    var now: Int64
}
