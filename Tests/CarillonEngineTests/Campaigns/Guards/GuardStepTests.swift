import CarillonEngine
import CarillonOperatorModel
import Testing

struct GuardStepTests {
    private static func step(_ reach: Int, hasApprover: Bool = true, isCorrection: Bool = false) -> GuardStep {
        GuardStep(reach: reach, guards: SendGuards(), hasApprover: hasApprover, isCorrection: isCorrection)
    }

    @Test("The number of Devices decides what is asked")
    func kinds() {
        #expect(Self.step(1_000).kind == .atOnce)
        #expect(Self.step(1_001).kind == .typed)
        #expect(Self.step(10_000).kind == .typed)
        #expect(Self.step(10_001).kind == .approval)

        #expect((Self.step(1_000).hold, Self.step(1_000).needsTyping) == (.zero, false))
        #expect((Self.step(1_001).hold, Self.step(1_001).needsTyping) == (.seconds(60), true))
        #expect((Self.step(1_001).needsFresh, Self.step(10_001).needsFresh) == (false, true))
        #expect((Self.step(1_001).needsApproval, Self.step(10_001).needsApproval) == (false, true))
        #expect((Self.step(10_000).mayGoNow, Self.step(10_001).mayGoNow) == (true, false))
    }

    @Test("Without another approver the hold doubles")
    func alone() {
        let step = Self.step(10_001, hasApprover: false)

        #expect((step.approvalIsOff, step.needsApproval, step.hold) == (true, false, .seconds(120)))
        #expect(step.needsTyping && step.needsFresh)
        #expect(!Self.step(1_001, hasApprover: false).approvalIsOff)
    }

    @Test("A correction is typed by somebody who has just authenticated, and waits for nobody")
    func correction() {
        for reach in [1, 5_000, 50_000] {
            let step = Self.step(reach, hasApprover: reach < 50_000, isCorrection: true)

            #expect(step.needsTyping && step.needsFresh && !step.needsApproval && !step.approvalIsOff)
            #expect(step.hold == .zero)
        }
    }

    @Test("K-47 A number is right however its digits are grouped")
    func typed() {
        for text in ["48210", "48,210", " 48210 ", "48.210", "48 210", "48\u{202F}210", "４８２１０", "48'210"] {
            #expect(GuardStep.isTyped(text, 48_210), "\(text)")
        }
        for text in ["", " ", "4821", "482100", "48210 Devices", "-48210", "048210", "4e4"] {
            #expect(!GuardStep.isTyped(text, 48_210), "\(text)")
        }
        #expect(!GuardStep.isTyped(nil, 48_210))
    }

    @Test("K-49 Counts differ by more than a tenth, or across a threshold")
    func differences() {
        let guards = SendGuards()

        #expect(!GuardStep.differ(5_000, 5_500, guards) && !GuardStep.differ(5_000, 4_500, guards))
        #expect(GuardStep.differ(5_000, 5_501, guards) && GuardStep.differ(5_000, 4_499, guards))
        #expect(GuardStep.differ(1_000, 1_001, guards) && GuardStep.differ(10_001, 10_000, guards))
        #expect(!GuardStep.differ(10_001, 10_900, guards))
        // Numbers of a form may be any.
        for wrong in [Int.max, .min, .max / 2, -1] { #expect(GuardStep.differ(wrong, 5_000, guards)) }
        #expect(GuardStep.isFar(.min, .max) && GuardStep.isFar(0, 1) && !GuardStep.isFar(.max, .max))
    }

    @Test("Guards are lowered when any of them lets more out")
    func lowering() {
        func isLowered(_ change: (inout SendGuardsUpdate) -> Void) -> Bool {
            var (guards, update) = (SendGuards(), SendGuardsUpdate())
            guards.appliesToKeys = true
            change(&update)
            return guards.isLowered(to: guards.applying(update))
        }

        #expect(isLowered { $0.confirmAbove = 1_001 } && isLowered { $0.approveAbove = 10_001 })
        #expect(isLowered { $0.hold = 59 } && isLowered { $0.appliesToKeys = false })
        #expect(!isLowered { ($0.confirmAbove, $0.approveAbove, $0.hold) = (0, 0, 600) })
        #expect(!isLowered { _ in })
    }
}
