/// How the simulator is set up.
package struct SimulatorConfiguration: Sendable {
    /// Where to listen, for both ports.
    ///
    /// Nothing but loopback is meant.
    package var host = "127.0.0.1"
    /// The port for senders; 0: any that is free.
    package var port = 0
    /// The port of the control API; 0: any that is free.
    package var controlPort = 0
    /// How many threads serve connections, 1 through 64.
    ///
    /// A connection stays on one.
    package var threads = 1
    /// How strictly requests are judged.
    package var rules = JudgeRules()
    /// Keys known from the start.
    package var keys: [SigningKey] = []
    /// How many streams a connection may have open until a request on it was let in.
    ///
    /// Apple: 1.
    package var initialStreamLimit: UInt32 = 1
    /// How many streams a connection may have open after that, 1 through 1,000,000.
    ///
    /// Apple, at present: 1000.
    package var streamLimit: UInt32 = 1000
    /// How many of the last requests are kept with their fields and bodies, 0 through 100,000.
    package var recordedRequests = 1000
    /// How long clients may take to leave after the goodbye of a graceful stop.
    package var shutdownGrace = Duration.seconds(5)
    /// Makes generated ids and the dice of faults repeatable.
    package var seed: UInt64 = .random(in: 0 ... .max)

    package init() {}
}
