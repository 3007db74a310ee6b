import Carillon
import CarillonModel
import CarillonTestKit
import Testing

@testable import ToastPush

@Suite("TOAST Push from beginning to end")
struct WholeStoryTests {
    @Test("T-130 register, send, receive, open, count, unregister, send: nobody")
    func story() async throws {
        let phone = try await ToastPhone()
        await phone.setUser("u1")
        await phone.register()
        phone.phone.leaveApp()
        let shown = await phone.push(TestKitPush(title: "Hello"))
        #expect(await phone.phone.respond(.tap, to: shown))
        await phone.flush()
        #expect(phone.server.events.map(\.kind).sorted { $0.rawValue < $1.rawValue } == [.opened, .received])
        await phone.unregister()
        #expect(phone.server.send(TestKitPush(title: "Gone")) == nil)
    }
}
