import Carillon
import Foundation
import Testing

@Suite("Observers of the system's notifications")
struct NotificationObserverTests {
    @Test("An observer hears its own sender alone, also when nobody else has that any more")
    func ownSender() {
        let name = Notification.Name("own sender " + UUID().uuidString)
        let heard = OneShot<Void>()
        // Objects are made at the place of one that is gone, unless another thread takes it first.
        for _ in 0..<100 {
            let observer = NotificationObserver(of: name, from: NSObject()) { heard.complete(()) }
            for _ in 0..<100 { NotificationCenter.default.post(name: name, object: NSObject()) }
            withExtendedLifetime(observer) {}
        }

        #expect(heard.complete(()), "another sender was heard")
    }

    @Test("An observer hears its sender until it is gone itself")
    func end() {
        let name = Notification.Name("end " + UUID().uuidString)
        let sender = NSObject()
        let (first, second) = (OneShot<Void>(), OneShot<Void>())
        var observer: NotificationObserver? = NotificationObserver(of: name, from: sender) { first.complete(()) }
        NotificationCenter.default.post(name: name, object: sender)
        #expect(observer != nil && !first.complete(()))
        observer = NotificationObserver(of: name, from: sender) { second.complete(()) }
        observer = nil
        NotificationCenter.default.post(name: name, object: sender)

        #expect(observer == nil && second.complete(()))
    }
}
